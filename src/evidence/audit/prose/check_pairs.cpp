#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What is said of two amounts that stand before it, in its own sentence or the one before.
class Pairs {
 public:
  explicit Pairs(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.quantities.size() < 3) continue;
      for (const ClaimAmount& one : line.said.quantities) {
        compared(line, one);
        left(line, one);
      }
    }
    for (const ClaimLine& line : bench_.document.lines)
      if (reads_as_prose(line) && line.said.quantities.size() >= 2) spoken(line);
  }

 private:
  /// The two sentences that end before an amount.
  static std::size_t begin_of_two(std::string_view text, std::size_t at) {
    constexpr std::size_t kStop = 2;  // ". "
    const std::size_t own = begin_of_sentence(text, at);
    return own < kStop ? own : begin_of_sentence(text, own - kStop);
  }

  static bool is_plain(const ClaimAmount& one) {
    return !one.range() && !one.odd && one.low > 0 && !one.at_most && !one.at_least;
  }

  /// "-> $21.00" is no "more than $21.00".
  static bool is_behind_arrow(std::string_view text, const ClaimAmount& one) {
    const std::string_view before = trim(text.substr(0, one.from));
    return one.at_least && !one.range() && !one.odd && one.low > 0 &&
           (before.ends_with("->") || (before.ends_with('-') && text.substr(one.from).starts_with('>')));
  }

  /// A word of comparison behind a share, and what it is about.
  struct Comparison {
    std::string_view word;
    bool money;
    bool more;  ///< "60% more expensive" is of the smaller; "40% cheaper" of the larger
  };

  static const Comparison* comparison_behind(std::string_view behind) {
    static constexpr std::array<Comparison, 5> kWords = {{{"cheaper", true, false},
                                                          {"more expensive", true, true},
                                                          {"dearer", true, true},
                                                          {"faster", false, false},
                                                          {"slower", false, false}}};
    behind = trim(behind);
    for (const Comparison& one : kWords)
      if (behind.starts_with(one.word)) return &one;
    return nullptr;
  }

  /// Every word of `gap` adds nothing, or stands in front of it: a name that is known by then.
  static bool says_no_more(std::string_view gap, std::string_view before) {
    constexpr std::array<std::string_view, 20> kNothing = {
        "saves", "saving", "so",  "thus",  "hence", "therefore", "that",    "is",  "are",     "which",
        "makes", "it",     "the", "means", "only",  "about",     "roughly", "i.e", "approx.", "runs"};
    std::string word;
    const auto known = [&] {
      while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.pop_back();
      const bool good = word.empty() || std::ranges::find(kNothing, word) != kNothing.end() || has_word(before, word);
      word.clear();
      return good;
    };
    for (const char c : gap) {
      if (c != ' ' && c != ',' && c != ';' && c != '(' && c != '~' && c != ')') {
        word += c;
        continue;
      }
      if (!known()) return false;
    }
    return known();
  }

  /// Amounts that are told of two things, one as the other.
  static bool are_of_two(std::string_view between) {
    constexpr std::size_t kLongest = 50;
    // "$31.92/h -> $21.00/h", "Now $31.92/h. A reservation costs $21.00/h"
    const bool follows = is_one_of(between, {"-", "->", "\xE2\x86\x92", "=>"}) || between.starts_with(". ");
    return between.size() <= kLongest &&
           (follows ||
            has_any(between, {" and ", " vs", "versus", "against", " while ", " but ", ", ", "; ", "instead of"})) &&
           !has_any(between,
                    {"credit", "discount", "fee",  "with", " for ",  "plus",  "storage", "setup", "set-up", "per ", "/",
                     "+",      " then ",   "each", "spot", "in all", "total", "up to",   "left",  "budget"});
  }

  /// Ratios that are told in words. A word is no more exact than its neighbours: "twice" is 1.7 to 2.3.
  struct Spoken {
    std::string_view words;
    double ratio, step;
    bool money;
  };
  static constexpr std::array<Spoken, 14> kSpoken = {{{"twice as fast", 2, 0.3, false},
                                                      {"twice the speed", 2, 0.3, false},
                                                      {"twice as long", 2, 0.3, false},
                                                      {"half the time", 2, 0.5, false},
                                                      {"half as fast", 2, 0.5, false},
                                                      {"three times as fast", 3, 0.5, false},
                                                      {"four times as fast", 4, 0.6, false},
                                                      {"twice as expensive", 2, 0.3, true},
                                                      {"twice the price", 2, 0.3, true},
                                                      {"twice the cost", 2, 0.3, true},
                                                      {"half the price", 2, 0.5, true},
                                                      {"half the cost", 2, 0.5, true},
                                                      {"half as expensive", 2, 0.5, true},
                                                      {"three times as expensive", 3, 0.5, true}}};

  /// "A takes 10 h and B takes 20 h, so A is twice as fast".
  void spoken(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    for (const Spoken& one : kSpoken)
      for (std::size_t at = lower.find(one.words); at != std::string::npos; at = lower.find(one.words, at + 1)) {
        ClaimAmount stated;
        stated.dimension = ClaimDimension::kTimes;
        stated.low = stated.high = one.ratio;
        stated.low_step = stated.high_step = one.step;
        stated.id = -1;
        stated.from = at;
        stated.to = at + one.words.size();
        stated.text = one.words;
        const std::string_view before = trim(std::string_view(lower).substr(0, at));
        if (has_any(before.substr(before.size() - std::min<std::size_t>(before.size(), 24)),
                    {"not", "n't", "almost", "nearly", "more than", "less than", "over", "up to", "at least", "if "}))
          continue;
        compared(line, lower, stated, {"", one.money, false}, stated.to);
      }
  }

  /// "A costs $100 and B costs $90, so B is 10% cheaper than A", "A takes 10 h and B takes 20 h: A is 2x faster", "On
  /// demand it costs $500 and on spot $300, which saves 40%".
  void compared(const ClaimLine& line, const ClaimAmount& stated) {
    if ((stated.dimension != ClaimDimension::kShare && stated.dimension != ClaimDimension::kTimes) || !is_plain(stated))
      return;
    const std::string lower = to_lower(line.said.text);
    const std::string_view text = lower, behind = text.substr(std::min(stated.to, text.size()));
    if (const Comparison* word = comparison_behind(behind))
      compared(line, lower, stated, *word, stated.to + behind.find(word->word) + word->word.size());
    else if (stated.dimension == ClaimDimension::kShare &&
             ends_with_word(trim(text.substr(0, stated.from)), {"saves", "saving", "a saving of", "saves about"}))
      compared(line, lower, stated, {"", true, false}, stated.to);
  }

  void compared(const ClaimLine& line, const std::string& lower, const ClaimAmount& stated, const Comparison& how,
                std::size_t end_of_words) {
    const std::string_view text = lower;
    const Comparison* const word = &how;
    const std::size_t from = begin_of_two(text, stated.from);
    std::vector<const ClaimAmount*> two;
    for (const ClaimAmount& one : line.said.quantities) {
      if (&one == &stated || one.from < from || one.from >= end_of_sentence(text, stated.to)) continue;
      // Another share, or what comes behind, says more than the two.
      if (one.from > stated.from || one.dimension == ClaimDimension::kShare) return;
      const bool counts =
          word->money ? one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kPrice
                      : one.dimension == ClaimDimension::kTime || one.dimension == ClaimDimension::kTokenRate ||
                            one.dimension == ClaimDimension::kSampleRate || one.dimension == ClaimDimension::kStepTime;
      if (!counts) continue;
      if (!is_plain(one) && !is_behind_arrow(text, one)) return;
      two.push_back(&one);
    }
    if (two.size() != 2 || two[0]->dimension != two[1]->dimension || two[0]->currency != two[1]->currency ||
        two[0]->per_gpu != two[1]->per_gpu || two[0]->per_node != two[1]->per_node ||
        !are_of_two(text.substr(two[0]->to, two[1]->from - two[0]->to)))
      return;
    const std::string_view before = text.substr(from, two[1]->to - from);
    if (has_word_of(before, {"twice", "half", "double", "triple", "batch", "batches", "each", "per", "same"})) return;
    if (!says_no_more(text.substr(two[1]->to, stated.from - two[1]->to), before)) return;
    // "... than A": one of the two.
    const std::string_view behind = trim(text.substr(end_of_words));
    if (starts_with_any(behind, {"than ", "as ", "of "})) {
      const std::size_t end = behind.find_first_of(".,;:)"), other = behind.find(' ') + 1;
      if (!says_no_more(behind.substr(other, end == std::string_view::npos ? end : end - other), before)) return;
    } else if (!ends_clause(behind)) {
      return;
    }
    const ClaimAmount &large = two[0]->low >= two[1]->low ? *two[0] : *two[1],
                      &small = two[0]->low >= two[1]->low ? *two[1] : *two[0];
    // "30% faster" may also mean 30% less time; "2x more expensive" is twice the price to some, three times to others.
    const auto readings = [&](bool written) {
      const ClaimEnds high = ends_of(large, written), low = ends_of(small, written), ratio = high / low,
                      more = ratio - ends_of(1.0), less = ends_of(1.0) - low / high;
      const bool share = stated.dimension == ClaimDimension::kShare;
      if (!share) return word->more ? std::vector{ratio, more} : std::vector{ratio};
      if (!word->money) return std::vector{more, less};
      return std::vector{word->more ? more : less};
    };
    const std::vector<ClaimEnds> right = readings(false);
    for (const ClaimAmount* one : {&large, &small, &stated}) bench_.use(*one);
    if (std::ranges::any_of(right, [&](const ClaimEnds& one) { return fits(stated, one); })) return;
    // The document's tables may have told of it already.
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) {
          return one.line == line.line_of(stated) && one.said.starts_with(stated.text);
        }))
      return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label,
                stated.text + (word->word.empty() ? "" : " ") + std::string(word->word),
                told(stated.dimension, readings(true).front()), large.text + " and " + small.text);
  }

  /// The money in the one row of totals of the document's tables; nullptr: none, or several.
  const ClaimAmount* only_total() const {
    const ClaimAmount* found = nullptr;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows) {
        if (std::ranges::none_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); })) continue;
        for (const ClaimText& cell : row.cells)
          for (const ClaimAmount& one : cell.quantities) {
            if (one.dimension != ClaimDimension::kMoney) continue;
            if (found != nullptr || !is_plain(one)) return nullptr;
            found = &one;
          }
      }
    return found;
  }

  /// "It costs $1,500 of a budget of $2,000, which leaves $500", "so $500 is left".
  void left(const ClaimLine& line, const ClaimAmount& stated) {
    if (stated.dimension != ClaimDimension::kMoney || !is_plain(stated)) return;
    const std::string lower = to_lower(line.said.text);
    const std::string_view text = lower;
    const std::size_t from = begin_of_two(text, stated.from), end = end_of_sentence(text, stated.to);
    const std::string_view before = trim(text.substr(0, stated.from)), behind = trim(text.substr(stated.to));
    const bool leaves = ends_with_word(before, {"leaves", "leaves about", "leaving", "leaving about", "would leave"});
    const bool is_left = starts_with_any(behind, {"left", "is left", "are left", "remain", "to spare", "unspent"});
    const std::string_view said = text.substr(from, end - from);
    if (!(leaves || is_left) || !said.contains("budget")) return;
    if (has_any(said, {"buffer", "reserve", "contingency", "tax", "vat", "fee", "storage", "after ", "margin", " per ",
                       "each", "credit", "discount", " for ", "twice", "runs", "if "}))
      return;
    std::vector<const ClaimAmount*> two;
    for (const ClaimAmount& one : line.said.quantities) {
      if (&one == &stated || one.from < from || one.from >= end) continue;
      if (one.dimension == ClaimDimension::kShare || one.dimension == ClaimDimension::kTimes) return;
      if (one.dimension != ClaimDimension::kMoney) continue;
      if (!is_plain(one) || one.currency != stated.currency || one.from > stated.from) return;
      two.push_back(&one);
    }
    // "Our budget is $2,000, which leaves $500": of what the one total of the document comes to.
    if (two.size() == 1 && leaves)
      if (const ClaimAmount* total = only_total(); total != nullptr && total->currency == stated.currency)
        two.push_back(total);
    if (two.size() != 2) return;
    const ClaimAmount &more = two[0]->low >= two[1]->low ? *two[0] : *two[1],
                      &less = two[0]->low >= two[1]->low ? *two[1] : *two[0];
    for (const ClaimAmount* one : {&more, &less, &stated}) bench_.use(*one);
    const ClaimEnds right = ends_of(more) - ends_of(less);
    // A total that is wrong itself: what is left of the right one is not.
    for (const Finding& one : bench_.findings)
      if (one.said == less.text) return;
    if (fits(stated, right) || fits(stated, ends_of(more, true) - ends_of(less, true))) return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, "leaves " + stated.text, told(stated, right),
                more.text + " - " + less.text);
  }

  Bench& bench_;
};

}  // namespace

void check_pairs(Bench& bench) { Pairs(bench).check(); }

}  // namespace gpuplan::audit
