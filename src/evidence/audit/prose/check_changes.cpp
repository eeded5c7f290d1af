#include <algorithm>
#include <cstddef>
#include <initializer_list>
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

/// Takes one of the words off the beginning, with blanks around it.
bool take_first(std::string_view& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text.starts_with(word) && (text.size() == word.size() || !is_letter(text[word.size()]))) {
      text = trim(text.substr(word.size()));
      return true;
    }
  return false;
}

/// The other part: 60% where 40% are taken off.
ClaimEnds without(const ClaimEnds& part) {
  return {{1 - part.low.high, 1 - part.low.low}, {1 - part.high.high, 1 - part.high.low}};
}

/// What a percentage is of in a sentence, and what it comes to.
class Changes {
 public:
  explicit Changes(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || all.size() < 3) continue;
      for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        part_of(line, i);
        more_or_less(line, i);
        saves(line, i);
        is_off(line, i);
        falls(line, i);
        taxed(line, i);
        is_times(line, i);
      }
    }
  }

 private:
  static bool is_money(const ClaimAmount& one) {
    return one.dimension == ClaimDimension::kMoney && !one.odd && !one.range() && one.low > 0;
  }
  static bool is_share(const ClaimAmount& one) {
    return one.dimension == ClaimDimension::kShare && !one.range() && one.low > 0 && !one.at_most && !one.at_least;
  }
  static bool comes_to(const ClaimLine& line, std::string_view gap, const ClaimAmount& stated) {
    bool verb = false;
    return leads(gap, verb) && verb && ends_clause(std::string_view(line.said.text).substr(stated.to));
  }

  void judge(const ClaimLine& line, const ClaimAmount& stated, std::initializer_list<const ClaimAmount*> by,
             const std::vector<ClaimEnds>& ways, const std::string& how) {
    for (const ClaimAmount* one : by) bench_.use(*one);
    bench_.use(stated);
    for (const ClaimEnds& way : ways)
      if (fits(stated, way)) return;
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text, told(stated, ways.front()), how);
  }

  /// "A 40% discount on $1,000 is $400, so we pay $600": the part, or what is left.
  void part_of(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &share = all[place], &whole = all[place + 1], &stated = all[place + 2];
    if (!is_share(share) || !is_money(whole) || !is_money(stated) || whole.currency != stated.currency) return;
    const std::string joined = between(line.said, share, whole);
    std::string_view words = joined;
    const bool less = take_first(words, {"discount", "rebate", "reduction", "price cut"});
    if (!less && !take_first(words, {"vat", "tax", "sales tax", "buffer", "contingency", "reserve", "margin", "markup",
                                     "surcharge", "fee", "commission"}))
      return;
    if (words != "on" && words != "of" && words != "off" && words != "from") return;
    if (!comes_to(line, between(line.said, whole, stated), stated)) return;
    const ClaimEnds part = ends_of(share, true), of = ends_of(whole, true);
    const ClaimEnds rest = less ? of * without(part) : of * (ends_of(1.0) + part);
    const std::string how = share.text + " of " + whole.text;
    // A tax that is in the amount already is a smaller part of it.
    const ClaimEnds within = of * part / (ends_of(1.0) + part);
    judge(line, stated, {&share, &whole}, {of * part, rest, within}, how);
    if (place + 3 >= all.size()) return;
    const ClaimAmount& paid = all[place + 3];
    const std::string then = between(line.said, stated, paid);
    if (is_money(paid) && paid.currency == whole.currency && fits(stated, of * part) &&
        ends_with_word(then, {"pay", "pays", "leaves", "leaving", "costs", "remain", "remains"}) &&
        ends_clause(std::string_view(line.said.text).substr(paid.to)) && then.size() < 30)
      judge(line, paid, {}, {rest}, whole.text + (less ? " - " : " + ") + stated.text);
  }

  /// "$1,000 plus 19% VAT is $1,190", "$500 less 10% comes to $450": of what stands before it, or of a sum of it.
  void more_or_less(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &whole = all[place], &share = all[place + 1], &stated = all[place + 2];
    if (!is_money(whole) || !is_share(share) || !is_money(stated) || whole.currency != stated.currency) return;
    const std::string sign = between(line.said, whole, share), gap = between(line.said, share, stated);
    const bool more = sign == "plus" || sign == "plus a" || sign == ", plus" || sign == "+" || sign == "and",
               less = sign == "less" || sign == "less a" || sign == "minus" || sign == "minus a" || sign == ", less";
    std::string_view words = gap;
    const bool off = take_first(words, {"off", "discount", "rebate"}),
               named = off || take_first(words, {"vat", "sales tax", "tax", "buffer", "contingency", "reserve",
                                                 "margin", "fee", "surcharge", "markup", "mwst."});
    // "$50 with 20% off is $40", "$100 with 19% VAT is $119"
    const bool with = named && is_one_of(sign, {"with", "with a", "at"});
    if ((!more && !less && !with) || (off && more)) return;
    const bool adds = more || (with && !off);
    if ((sign == "and" && !named) || words.starts_with('=') || !comes_to(line, words, stated)) return;
    const ClaimEnds part = ends_of(share, true), factor = adds ? ends_of(1.0) + part : without(part);
    std::vector<ClaimEnds> ways;
    for (const ClaimEnds& sum : sums_before(line, share.from, whole)) {
      ways.push_back(sum * factor);
      if (named) ways.push_back(sum * part);
    }
    judge(line, stated, {&whole, &share}, ways, whole.text + (adds ? " + " : " - ") + share.text);
  }

  /// "Spot at $0.99 instead of $2.49 saves 60%".
  void saves(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &now = all[place], &before = all[place + 1], &share = all[place + 2];
    if (!are_alike(now, before) || !is_share(share) || now.low / now.unit >= before.low / before.unit) return;
    const std::string joined = between(line.said, now, before), gap = between(line.said, before, share);
    if (!ends_with_word(joined, {"instead of", "rather than", "in place of"}) || joined.size() > 30) return;
    if (!ends_with_word(gap, {"saves", "saves us", "saves you", "saving", "a saving of", "saves about"}) ||
        gap.size() > 40 || has_any(gap, {". ", ";", "and", " but "}))
      return;
    // "saves 30% of the time"
    const std::string behind = to_lower(std::string_view(line.said.text).substr(share.to));
    if (!ends_clause(behind) &&
        !starts_with_any(behind, {" of the cost", " of the price", " of the bill", " of the money"}))
      return;
    by_share(line, before, now, share);
  }

  /// "We get 20% off: $40 instead of $50."
  void is_off(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &share = all[place], &now = all[place + 1], &before = all[place + 2];
    if (!are_alike(now, before) || !is_share(share) || now.low / now.unit >= before.low / before.unit) return;
    if (!is_one_of(between(line.said, share, now),
                   {"off:", "off,", "discount:", "discount,", "less:", "cheaper:", "cheaper,"}) ||
        !is_one_of(between(line.said, now, before), {"instead of", "in place of", "rather than"}) ||
        !ends_clause(std::string_view(line.said.text).substr(before.to)))
      return;
    by_share(line, before, now, share);
  }

  /// "It is 2x faster: 5 h instead of 10 h", "3x cheaper: $100 instead of $300".
  void is_times(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &times = all[place], &now = all[place + 1], &before = all[place + 2];
    const auto good = [](const ClaimAmount& one) { return !one.odd && !one.range() && one.low > 0; };
    if (times.dimension != ClaimDimension::kTimes || now.dimension != before.dimension || !good(times) || !good(now) ||
        !good(before) || now.currency != before.currency || times.at_most || times.at_least || times.approximate)
      return;
    const bool time = now.dimension == ClaimDimension::kTime, money = now.dimension == ClaimDimension::kMoney;
    const std::string joined = between(line.said, times, now);
    const std::string_view word = time ? "faster" : "cheaper";
    if ((!time && !money) || !joined.starts_with(word) || !joined.ends_with(':') ||
        has_any(joined, {". ", ";", " but ", " and "}) ||
        !is_one_of(between(line.said, now, before), {"instead of", "rather than", "in place of", "against", "not"}) ||
        !ends_clause(std::string_view(line.said.text).substr(before.to)))
      return;
    for (const ClaimAmount* one : {&times, &now, &before}) bench_.use(*one);
    // The ends of the times as their digits leave them open; "2x faster" may be twice or, to some, three times as fast.
    const ClaimEnds right{{before.low / now.low, before.low / now.low},
                          {before.high / now.high, before.high / now.high}};
    const ClaimEnds open = ends_of(before) / ends_of(now);
    if (fits(times, open) || fits(times, right) || fits(times, open - ends_of(1.0))) return;
    bench_.find(FindingKind::kWrong, line.line_of(times), line.label, times.text + " " + std::string(word),
                told(ClaimDimension::kTimes, right), before.text + " / " + now.text);
  }

  /// "From $2.99 to $2.39 is 20% less".
  void falls(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &before = all[place], &now = all[place + 1], &share = all[place + 2];
    if (!are_alike(now, before) || !is_share(share) || now.low / now.unit >= before.low / before.unit) return;
    const std::string_view text = line.said.text;
    if (!ends_with_word(to_lower(trim(text.substr(0, before.from))), {"from"}) ||
        between(line.said, before, now) != "to")
      return;
    const std::string gap = between(line.said, now, share);
    const std::string behind = to_lower(trim(text.substr(share.to)));
    if (!ends_with_word(gap, {"is", "are", "means", "saves", "that is"}) || gap.size() > 30 ||
        !(behind.empty() || behind[0] == '.' || behind[0] == ',' ||
          has_any(behind.substr(0, 8), {"less", "cheaper", "lower", "off"})))
      return;
    by_share(line, before, now, share);
  }

  void by_share(const ClaimLine& line, const ClaimAmount& before, const ClaimAmount& now, const ClaimAmount& share) {
    const ClaimEnds from = ends_of(before) * (1 / before.unit), to = ends_of(now) * (1 / now.unit);
    const ClaimEnds right{{1 - to.high.high / from.low.low, 1 - to.low.low / from.high.high},
                          {1 - to.high.high / from.low.low, 1 - to.low.low / from.high.high}};
    for (const ClaimAmount* one : {&before, &now, &share}) bench_.use(*one);
    // The price itself as a share of the other is no saving, and yet told as one.
    if (fits(share, right)) return;
    const double shown = 1 - now.low / now.unit / (before.low / before.unit);
    bench_.find(FindingKind::kWrong, line.line_of(share), line.label, share.text, told(share, ends_of(shown)),
                "1 - " + now.text + " / " + before.text);
  }

  /// Two prices or two sums of money in one unit.
  static bool are_alike(const ClaimAmount& a, const ClaimAmount& b) {
    const auto good = [](const ClaimAmount& one) {
      return (one.dimension == ClaimDimension::kMoney || one.dimension == ClaimDimension::kPrice) && !one.odd &&
             !one.range() && one.low > 0 && !one.approximate;
    };
    // "$0.99 instead of $2.49/h": the unit stands once.
    return good(a) && good(b) && a.currency == b.currency &&
           (a.dimension != b.dimension || (a.unit == b.unit && a.per_gpu == b.per_gpu));
  }

  /// "Net $100, 19% VAT, gross $119", "net $100, 19% VAT $19, in all $119".
  void taxed(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &net = all[place], &rate = all[place + 1];
    if (!is_money(net) || !is_share(rate)) return;
    const std::string_view text = line.said.text;
    const std::size_t from = begin_of_sentence(text, net.from), to = end_of_sentence(text, rate.to);
    const std::string before = to_lower(trim(text.substr(from, net.from - from))),
                      joined = between(line.said, net, rate),
                      behind = to_lower(trim(text.substr(rate.to, to - rate.to)));
    if (!ends_with_word(before, {"net", "netto", "net:", "netto:", "net of"}) && joined != "net," && joined != "netto,")
      return;
    if (joined.size() > 12 || !(ends_with_word(joined, {"vat", "tax"}) || says_tax(behind.substr(0, 10)))) return;
    const ClaimEnds part = ends_of(rate, true);
    const ClaimAmount* tax = nullptr;
    for (std::size_t i = place + 2; i < all.size() && all[i].from < to; ++i) {
      const ClaimAmount& one = all[i];
      if (!is_money(one) || one.currency != net.currency || !ends_clause(text.substr(one.to))) return;
      const std::string gap = between(line.said, all[i - 1], one);
      constexpr std::size_t kLongest = 24;
      if (gap.size() > kLongest) return;
      std::vector<ClaimEnds> whole;
      for (const ClaimEnds& sum : sums_before(line, rate.from, net)) whole.push_back(sum * (ends_of(1.0) + part));
      if (ends_with_word(gap,
                         {"gross", "brutto", "total", "in all", "together", "due", "to pay", "gross:", "total:"})) {
        if (tax != nullptr) whole.push_back(ends_of(net) + ends_of(*tax));
        judge(line, one, {&net, &rate}, whole, net.text + " + " + rate.text);
        return;
      }
      if (tax != nullptr || !says_tax(gap)) return;
      tax = &one;
      std::vector<ClaimEnds> ways;
      for (const ClaimEnds& sum : sums_before(line, rate.from, net)) ways.push_back(sum * part);
      // "$100 net, 19% VAT: $119"
      if (gap.ends_with(':')) ways.insert(ways.end(), whole.begin(), whole.end());
      judge(line, one, {&net, &rate}, ways, rate.text + " of " + net.text);
    }
  }

  /// Sums of the money in front of a place of the sentence, that of `last` first.
  static std::vector<ClaimEnds> sums_before(const ClaimLine& line, std::size_t at, const ClaimAmount& last) {
    constexpr std::size_t kMost = 64;
    std::vector<ClaimEnds> sums{ends_of(last, true)};
    const std::size_t from = begin_of_sentence(line.said.text, at);
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.to > at || &one == &last || one.dimension != ClaimDimension::kMoney) continue;
      const std::size_t so_far = sums.size();
      for (std::size_t i = 0; i < so_far && sums.size() < kMost; ++i) sums.push_back(sums[i] + ends_of(one, true));
      sums.push_back(ends_of(one, true));
    }
    return sums;
  }

  Bench& bench_;
};

}  // namespace

void check_changes(Bench& bench) { Changes(bench).check(); }

}  // namespace gpuplan::audit
