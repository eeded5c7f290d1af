#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// A word of comparison behind a share or a factor, in the languages of plans.
struct Compared {
  std::string_view word;
  bool money;
  bool more;  ///< costs or takes more
};
constexpr Compared kCompared[] = {{"the price", true, true},
                                  {"the cost", true, true},
                                  {"as expensive", true, true},
                                  {"the throughput", false, false},
                                  {"the speed", false, false},
                                  {"as fast", false, false},
                                  {"more than", true, true},
                                  {"less than", true, false},
                                  {"cheaper", true, false},
                                  {"less expensive", true, false},
                                  {"below", true, false},
                                  {"dearer", true, true},
                                  {"more expensive", true, true},
                                  {"pricier", true, true},
                                  {"faster", false, false},
                                  {"quicker", false, false},
                                  {"shorter", false, false},
                                  {"slower", false, true},
                                  {"longer", false, true},
                                  {"billiger", true, false},
                                  {"g\xC3\xBCnstiger", true, false},
                                  {"teurer", true, true},
                                  {"schneller", false, false},
                                  {"k\xC3\xBCrzer", false, false},
                                  {"langsamer", false, true},
                                  {"l\xC3\xA4nger", false, true},
                                  {"moins cher", true, false},
                                  {"moins ch\xC3\xA8re", true, false},
                                  {"plus cher", true, true},
                                  {"plus ch\xC3\xA8re", true, true},
                                  {"plus rapide", false, false},
                                  {"plus lent", false, true},
                                  {"plus longtemps", false, true}};

/// Amounts of a kind that are told of one name.
struct Named {
  std::string name;
  int place = 0;                                                    ///< table, or -1 - block of a list
  std::vector<std::pair<std::string, const ClaimAmount*>> amounts;  ///< with the head of its column
};

/// "D needs 45% longer than A", "H200 are 7% faster and 19% dearer": rows of tables and items of lists by their names.
class NamedThings {
 public:
  explicit NamedThings(Bench& bench) : bench_(bench) {
    for (int table = 0; table < bench.tables(); ++table)
      for (const ClaimRecord* row : bench.rows_of(table))
        if (!row->total) add_row(*row, table);
    for (const ClaimLine& line : bench.document.lines)
      if (line.item && !line.code && !line.label.empty()) add_item(line);
  }

  void check() {
    constexpr std::size_t kMostNames = 400;
    if (named_.size() > kMostNames) return;
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line)) continue;
      for (const ClaimAmount& one : line.said.quantities) compared(line, one);
      total_of_table(line);
    }
  }

 private:
  static bool counts(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

  void add_row(const ClaimRecord& row, int table) {
    std::vector<std::string> names;
    const auto cells = cells_of(bench_.document, row);
    constexpr std::size_t kLongest = 40;
    if (!cells.empty() && !cells.front()->text.empty() && cells.front()->text.size() <= kLongest &&
        !is_digit(cells.front()->text[0]))
      names.push_back(cells.front()->text);
    for (std::size_t i = 0; i < cells.size() && i < 3; ++i)
      if (!cells[i]->gpus.empty() && names.empty()) names.push_back(cells[i]->text);
    if (!row.gpu.empty()) names.push_back("gpu:" + row.gpu);
    for (std::string& name : names) {
      Named one{std::move(name), table, {}};
      for (const ClaimFact& fact : row.facts)
        if (fact.value != nullptr && counts(*fact.value) && fact.role != ClaimRole::kNone)
          one.amounts.emplace_back(fact.name, fact.value);
      // A fact of no role that is of one unit alone says what its unit says.
      for (const ClaimFact& fact : row.facts)
        if (fact.role == ClaimRole::kNone && counts(*fact.value) && is_measure(*fact.value))
          one.amounts.emplace_back(fact.name, fact.value);
      named_.push_back(std::move(one));
    }
  }

  static bool is_measure(const ClaimAmount& one) {
    return one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kTime;
  }

  /// "H100: 7 x 2.60 x 730 h = 13,286": what it comes to.
  void add_item(const ClaimLine& line) {
    const ClaimAmount* last = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (is_measure(one) && counts(one)) last = &one;
    if (last == nullptr || last != &line.said.quantities.back()) return;
    Named one{line.label, -1 - line.section, {{"", last}}};
    named_.push_back(one);
    if (line.said.gpus.size() == 1 && line.said.gpus[0].to <= line.label.size()) {
      one.name = "gpu:" + line.said.gpus[0].key;
      named_.push_back(std::move(one));
    }
  }

  /// Where a name stands in a sentence, for every table or list that knows it once.
  struct Mention {
    std::size_t at;
    std::string name;
  };

  std::vector<Mention> mentions_in(const ClaimLine& line, std::size_t from, std::size_t to) const {
    std::vector<Mention> found;
    const std::string lower = to_lower(line.said.text);
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.from >= from && gpu.from < to) found.push_back({gpu.from, "gpu:" + gpu.key});
    for (const Named& one : named_) {
      if (one.name.starts_with("gpu:")) continue;
      // Longer names in any case.
      constexpr std::size_t kAnyCase = 4;
      const bool any_case = one.name.size() >= kAnyCase;
      const std::string_view text = any_case ? lower : line.said.text;
      const std::string name = any_case ? to_lower(one.name) : one.name;
      for (std::size_t at = text.find(name, from); at != std::string_view::npos && at < to;
           at = text.find(name, at + 1)) {
        const std::size_t end = at + one.name.size();
        const bool whole = (at == 0 || !in_word(text[at - 1])) && (end >= text.size() || !in_word(text[end]));
        // "A" alone is a name only in front of a verb or behind "option", and never where it begins with an article.
        constexpr std::size_t kShort = 2;
        const bool named =
            one.name.size() > kShort || (one.name[0] >= 'B' && one.name[0] <= 'Z') ||
            !(at == from && text.substr(end).starts_with(' ') && one.name == "A" && !is_verb(text.substr(end + 1)));
        if (whole && named) found.push_back({at, one.name});
      }
    }
    std::ranges::stable_sort(found, {}, &Mention::at);
    return found;
  }
  static bool in_word(char c) { return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
  static bool is_verb(std::string_view text) {
    return starts_with_any(text, {"is ", "needs ", "takes ", "costs ", "runs ", "would ", "will "});
  }

  static const Compared* word_behind(std::string_view lower, std::size_t to) {
    std::string_view behind = lower.substr(std::min(to, lower.size()));
    behind = trim(behind);
    for (const std::string_view first : {"as ", "de "})
      if (behind.starts_with(first)) behind = trim(behind.substr(first.size()));
    for (const Compared& one : kCompared)
      if (behind.starts_with(one.word)) return &one;
    return nullptr;
  }

  void compared(const ClaimLine& line, const ClaimAmount& stated) {
    if ((stated.dimension != ClaimDimension::kShare && stated.dimension != ClaimDimension::kTimes) || stated.range() ||
        stated.low <= 0 || stated.at_least || stated.at_most)
      return;
    const std::string lower = to_lower(line.said.text);
    const Compared* word = word_behind(lower, stated.to);
    if (word == nullptr) return;
    const std::size_t from = begin_of_sentence(lower, stated.from), to = end_of_sentence(lower, stated.to);
    // "costs 30% more than": of what is told to cost.
    if (word->word.ends_with(" than") &&
        !has_word_of(std::string_view(lower).substr(from, stated.from - from), {"costs", "cost"}))
      return;
    if (has_word_of(std::string_view(lower).substr(from, to - from),
                    {"if", "not", "per", "each", "without", "when", "unless", "would need", "spot", "reserved", "was"}))
      return;
    if (word->money && !word->more && two_prices(line, stated, *word, from, to)) return;
    const std::vector<Mention> all = mentions_in(line, from, to);
    const Mention* subject = nullptr;
    for (const Mention& one : all)
      if (one.at < stated.from && !is_object(std::string_view(lower).substr(from, one.at - from))) subject = &one;
    if (subject == nullptr) return;
    std::vector<Range> ranges;
    const auto held_against = [&](const Mention& one) {
      if (one.at != subject->at) add_pairs(*subject, one, stated, *word, ranges);
    };
    bool than = false;
    const std::size_t behind = stated.to + 1 + word->word.size();
    for (const Mention& one : all) {
      constexpr std::size_t kNear = 24;
      const bool is_behind = one.at > stated.to && one.at < behind + kNear;
      if (is_behind && one.name != subject->name) {
        held_against(one);
        than = true;
      }
    }
    if (has_any(lower.substr(stated.to, 24 + word->word.size()), {" than ", " als ", " que "}) && !than) return;
    if (!than)
      for (const Mention& one : all)
        if (one.name != subject->name && one.at < stated.from) held_against(one);
    judge(line, stated, *word, ranges);
  }

  /// "Compared to on demand ($31.92/h) the reserved box is 32% cheaper", where the document has one other price. True:
  /// it was such a sentence.
  bool two_prices(const ClaimLine& line, const ClaimAmount& stated, const Compared& word, std::size_t from,
                  std::size_t to) {
    const ClaimAmount *own = nullptr, *other = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= to || one.dimension != ClaimDimension::kPrice || !counts(one)) continue;
      if (own != nullptr) return false;
      own = &one;
    }
    if (own == nullptr || stated.dimension != ClaimDimension::kShare || !bench_.go_through()) return false;
    bool several = false;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities) {
        if (one.dimension != ClaimDimension::kPrice || !counts(one) || one.low == own->low) continue;
        several = several || one.per_gpu != own->per_gpu || one.currency != own->currency ||
                  (other != nullptr && other->low != one.low);
        other = &one;
      }
    };
    for (const ClaimLine& each : bench_.document.lines) take(each.said);
    for (const ClaimTable& table : bench_.document.tables) {
      for (const ClaimText& head : table.heads) take(head);
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
    }
    if (other == nullptr || several) return false;
    std::vector<Range> ranges;
    add(own->low < other->low ? *own : *other, own->low < other->low ? *other : *own, stated, word, ranges);
    judge(line, stated, word, ranges);
    return true;
  }

  /// "than H100", "que l'A100": what others are held against.
  static bool is_object(std::string_view front) {
    front = trim(front);
    for (const std::string_view article : {" the", " die", " der", " das", " la", " le", " les", " l'"})
      if (front.ends_with(article)) front = trim(front.substr(0, front.size() - article.size()));
    return ends_with_word(front, {"than", "als", "que"});
  }

  /// What one is of the other in all that the document says of both.
  struct Range {
    double least = 0, most = 0;
    int pairs = 0;
    double nearest = 0;
    std::string how;
  };

  void add_pairs(const Mention& a, const Mention& b, const ClaimAmount& stated, const Compared& word,
                 std::vector<Range>& ranges) {
    for (const Named& one : named_) {
      if (one.name != a.name || !is_single(one)) continue;
      for (const Named& other : named_) {
        if (!bench_.go_on()) return;
        if (other.place != one.place || other.name != b.name || !is_single(other)) continue;
        for (const auto& [column, mine] : one.amounts)
          for (const auto& [its_column, its] : other.amounts)
            if (column == its_column && mine->dimension == its->dimension && mine->currency == its->currency)
              add(*mine, *its, stated, word, ranges);
      }
    }
  }

  /// No other row of its table has the name.
  bool is_single(const Named& one) const {
    return std::ranges::count_if(
               named_, [&](const Named& other) { return other.place == one.place && other.name == one.name; }) == 1;
  }

  void add(const ClaimAmount& mine, const ClaimAmount& its, const ClaimAmount& stated, const Compared& word,
           std::vector<Range>& ranges) {
    const bool money = mine.dimension == ClaimDimension::kMoney || mine.dimension == ClaimDimension::kPrice;
    const bool time = mine.dimension == ClaimDimension::kTime || mine.dimension == ClaimDimension::kStepTime;
    const bool rate = mine.dimension == ClaimDimension::kTokenRate || mine.dimension == ClaimDimension::kSampleRate;
    if (word.money ? !money : !(time || rate)) return;
    Range& range = ranges.emplace_back();
    // As they are, and as they should be.
    const auto right = [&](const ClaimAmount& one) {
      const auto found = bench_.right.find(one.id);
      return found == bench_.right.end() ? ends_of(one) : ends_of(found->second);
    };
    if (bench_.right.contains(mine.id) || bench_.right.contains(its.id))
      add_ends(ends_of(mine), ends_of(its), rate, stated, word, range);
    const ClaimEnds x = right(mine), y = right(its);
    add_ends(x, y, rate, stated, word, range);
    constexpr std::size_t kEnough = 100;
    if (range.how.size() < kEnough) range.how += (range.how.empty() ? "" : "; ") + mine.text + " and " + its.text;
    const double plain = word.more ? x.low_middle() / y.low_middle() : y.low_middle() / x.low_middle();
    const double ahead = rate ? 1 / plain : plain;
    range.nearest = stated.dimension == ClaimDimension::kTimes ? ahead
                    : word.money && !word.more                 ? 1 - 1 / ahead
                                                               : ahead - 1;
  }

  static void add_ends(const ClaimEnds& x, const ClaimEnds& y, bool rate, const ClaimAmount& stated,
                       const Compared& word, Range& range) {
    // What it takes more than the other, of the other.
    const ClaimEnds ratio = rate ? y / x : x / y;
    for (const double value : {ratio.least(), ratio.most()}) {
      if (value <= 0) continue;
      const double more = word.more ? value : 1 / value;
      if (stated.dimension == ClaimDimension::kTimes) {
        take(range, more);
        continue;
      }
      // "40% cheaper" is of the larger one, "30% faster" may be.
      if (word.more || !word.money) take(range, more - 1);
      if (!word.more) take(range, 1 - 1 / more);
    }
  }

  static void take(Range& range, double value) {
    range.least = range.pairs == 0 ? value : std::min(range.least, value);
    range.most = range.pairs == 0 ? value : std::max(range.most, value);
    ++range.pairs;
  }

  void judge(const ClaimLine& line, const ClaimAmount& stated, const Compared& word, const std::vector<Range>& ranges) {
    if (ranges.empty()) return;
    bench_.use(stated);
    constexpr double kRounded = 0.012;
    const double room = std::max(stated.low_step / 2, stated.approximate ? 0.1 * stated.low : kRounded * stated.low) +
                        (stated.dimension == ClaimDimension::kShare ? 0.005 : 0.0);
    for (const Range& one : ranges)
      if (stated.low - room <= one.most && stated.low + room >= one.least) return;
    const Range& range =
        *std::ranges::min_element(ranges, {}, [&](const Range& one) { return std::fabs(one.nearest - stated.low); });
    const int at = line.line_of(stated);
    const auto is_there = [&](const Finding& one) { return one.line == at && one.said.starts_with(stated.text); };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    bench_.find(FindingKind::kWrong, at, line.label, stated.text + " " + std::string(word.word),
                range.nearest > 0 ? told(stated.dimension, range.nearest) : "the other way round",
                "by the document's own figures: " + range.how);
  }

  /// "Everything: 8,096 GPU-hours and $21,777": where one is the sum of a column, so is the other.
  void total_of_table(const ClaimLine& line) {
    const auto& all = line.said.quantities;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (!counts(all[i]) || !counts(all[i + 1]) || !adds_up(all[i]) || !adds_up(all[i + 1])) continue;
      const std::string gap = between(line.said, all[i], all[i + 1]);
      if (!is_one_of(gap, {"and", ",", ", and", "for", "or", "und", "et", "(", "at a cost of", "costing"})) continue;
      if (!bench_.go_through()) return;
      for (const auto& [a, b] : {std::pair{&all[i], &all[i + 1]}, {&all[i + 1], &all[i]}})
        for (int table = 0; table < bench_.tables(); ++table) {
          if (bench_.document.tables[static_cast<std::size_t>(table)].section != line.section) continue;
          const auto known = sum_of(table, *a), other = sum_of(table, *b);
          if (known.first < 3 || other.first != known.first || !fits(*a, known.second) || fits(*b, other.second))
            continue;
          constexpr double kNear = 2;
          if (b->low > kNear * other.second.most() || other.second.least() > kNear * b->low) continue;
          const int at = line.line_of(*b);
          if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == at; })) return;
          bench_.find(FindingKind::kWrong, at, line.label, b->text, told(*b, other.second),
                      "the sum of " + std::to_string(other.first) + " rows, as " + a->text + " is");
          return;
        }
    }
  }

  static bool adds_up(const ClaimAmount& one) {
    return one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kTime ||
           one.dimension == ClaimDimension::kGpuTime || one.dimension == ClaimDimension::kEnergy;
  }

  /// Rows of the one column of the amount's kind, and their sum. What is known to be wrong counts as what is right.
  std::pair<int, ClaimEnds> sum_of(int table, const ClaimAmount& like) const {
    std::map<int, std::pair<int, ClaimEnds>> columns;
    for (const ClaimRecord* row : bench_.rows_of(table)) {
      if (row->total) return {0, {}};
      for (const ClaimFact& fact : row->facts) {
        const std::string& currency = fact.value->currency;
        if (fact.value->dimension != like.dimension ||
            (currency != like.currency && !currency.empty() && !like.currency.empty()))
          continue;
        auto& [rows, sum] = columns.try_emplace(fact.column, 0, ends_of(0.0)).first->second;
        const auto right = bench_.right.find(fact.value->id);
        sum = sum + (right == bench_.right.end() ? ends_of(*fact.value) : ends_of(right->second));
        ++rows;
      }
    }
    return columns.size() == 1 ? columns.begin()->second : std::pair<int, ClaimEnds>{0, {}};
  }

  Bench& bench_;
  std::vector<Named> named_;
};

}  // namespace

void check_named(Bench& bench) { NamedThings(bench).check(); }

}  // namespace gpuplan::audit
