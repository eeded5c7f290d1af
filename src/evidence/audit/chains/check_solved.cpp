#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/chains/nearby.h"
#include "evidence/audit/chains/operands.h"
#include "evidence/audit/chains/units.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Words before an amount that make it one of something else than what stands before it comes to.
constexpr std::string_view kOfSomethingElse[] = {
    "not",   "if",     "unless",  "limit", "deadline", "within",  "until", "up to",    "at least", "at most",  "more",
    "extra", "except", "without", "was",   "were",     "instead", "quota", "measured", "observed", "reported", "n't"};
/// It was computed: in the words between the last operand and it.
constexpr std::string_view kComesTo[] = {
    "so",   "thus",  "hence", "makes", "make", "that is", "which is", "is",   "are",      "i.e",   "takes",
    "take", "needs", "need",  "costs", "cost", "or",      "gives",    "give", "come",     "comes", "use",
    "uses", "draw",  "have",  "read",  "be",   "means",   "for",      "and",  "together", "saves", "leaves"};

struct Solution {
  double value = 0;
  std::string how;
};

/// A figure of a sentence that no product or quotient of those near it gives, while one of those of its own sentence
/// and the one before it gives nearly its digits: one of them is another, or two have changed places. What is off in
/// other ways may be of something else, and is let be.
class Solved {
 public:
  explicit Solved(Bench& bench) : bench_(bench), operands_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities)
        if (bench_.go_on() && is_candidate(line, one)) solve(line, one);
    }
  }

 private:
  static bool is_candidate(const ClaimLine& line, const ClaimAmount& one) {
    if (!is_single_value(one) || one.low_step <= 0) return false;
    constexpr double kLeastDigits = 20, kLeastBare = 1000;
    if (one.low / one.low_step < kLeastDigits || (one.dimension == ClaimDimension::kBare && one.low < kLeastBare))
      return false;
    const std::string front = front_of(line, one);
    const std::size_t clause = front.find_last_of(";:");
    return !has_word_of(clause == std::string::npos ? std::string_view(front) : std::string_view(front).substr(clause),
                        kOfSomethingElse);
  }

  static bool fits_as(const ClaimAmount& stated, const ClaimEnds& value) {
    constexpr double kRounded = 0.005;
    const double scale = 1 / chain_scale_of(stated);
    const ClaimEnds wide{{value.low.low * (1 - kRounded), value.low.high * (1 + kRounded)},
                         {value.high.low * (1 - kRounded), value.high.high * (1 + kRounded)}};
    return fits(stated, wide * scale);
  }

  static ClaimEnds with(const Operand& one, bool inverse) {
    return inverse ? ClaimEnds{{1 / one.value.low.high, 1 / one.value.low.low},
                               {1 / one.value.high.high, 1 / one.value.high.low}}
                   : one.value;
  }

  /// Two figures near it give it, of its paragraph or of one line or row; with numbers that turn units into others. Or
  /// another figure is the same.
  bool is_given(const ClaimLine& line, const ClaimAmount& stated, const ChainUnits& wanted) {
    const std::vector<Operand> all = operands_.around(line, stated);
    // Months of years, hours of days: where its paragraph speaks of them, which go without saying then.
    std::vector<double> factors;
    const std::string lower = to_lower(line.said.text);
    for (const auto& [word, numbers] : {std::pair{"year", std::vector{12.0, 365.0, 52.0}},
                                        {"month", {12.0, 30.0, 730.0}},
                                        {"week", {7.0, 168.0, 52.0}},
                                        {"day", {24.0, 30.0, 7.0}},
                                        {"daily", {30.0, 365.0}},
                                        {"thousand", {1e3, 1e-3}},
                                        {"million", {1e6, 1e-6}},
                                        {"1k", {1e3, 1e-3}},
                                        {"1m", {1e6, 1e-6}}})
      if (lower.contains(word)) factors.insert(factors.end(), numbers.begin(), numbers.end());
    if (stated.dimension == ClaimDimension::kBytes || stated.dimension == ClaimDimension::kByteRate)
      for (const double kind : {1.024, 1 / 1.024, 1.074, 1 / 1.074, 8.0, 0.125}) factors.push_back(kind);
    const bool share = stated.dimension == ClaimDimension::kShare;
    const auto is_it = [&](const ClaimEnds& value, bool own) {
      if (!share)
        return fits_as(stated, value) ||
               (own && std::ranges::any_of(factors, [&](double factor) { return fits_as(stated, value * factor); }));
      const ClaimEnds one = ends_of(1.0);
      return fits_as(stated, value) || (value.most() < 1 && fits_as(stated, one - value)) ||
             (value.least() > 1 && fits_as(stated, value - one));
    };
    for (const Operand& a : all) {
      if (a.amount != nullptr && a.units.is_like(wanted) && a.amount->dimension == stated.dimension &&
          is_it(a.value, a.group == 0))
        return true;
      for (const Operand& b : all) {
        if (&a == &b || (a.amount != nullptr && a.amount == b.amount)) continue;
        if (!bench_.go_on()) return true;
        // Of unrelated lines anything can be made.
        if (a.group != b.group) continue;
        const bool own = a.group == 0;
        if (share && (a.amount == nullptr || b.amount == nullptr || a.amount->dimension != b.amount->dimension))
          continue;
        if (!share && (a.units + b.units).is_like(wanted) && is_it(a.value * b.value, own)) return true;
        if ((a.units + -b.units).is_like(wanted) && is_it(a.value * with(b, true), own)) return true;
        if (!share && a.units.is_like(wanted) && b.units.is_like(wanted) &&
            (fits_as(stated, a.value + b.value) ||
             (a.value.least() > b.value.most() && fits_as(stated, a.value - b.value))))
          return true;
      }
    }
    return false;
  }

  void solve(const ClaimLine& line, const ClaimAmount& stated) {
    const auto wanted = chain_units_of(stated);
    if (!wanted || (!stated.currency.empty() && stated.currency != "$" && stated.foreign)) return;
    const bool share = stated.dimension == ClaimDimension::kShare;
    std::size_t own = 0;
    std::vector<Operand> all = operands_.close_to(line, stated, own);
    operands_.add_known(line, all);
    if (own == 0 || !leads_to(line, stated) || !ends_here(line, stated) || adds_products(all, own) ||
        !bench_.go_through())
      return;
    std::vector<Solution> found;
    bool exact = false;
    const auto take = [&](const ClaimEnds& value, const ChainUnits& units, const std::string& how) {
      if (exact || !units.is_like(*wanted)) return;
      exact = fits_as(stated, value);
      // GPU-hours by the price of an hour: of one GPU, where nothing else is said.
      const bool of_one = wanted->money == 1 && units.gpus == 1 && wanted->gpus == 0;
      if (!(units == *wanted) && !of_one) return;
      const double middle = (value.low_middle() + value.high_middle()) / 2 / chain_scale_of(stated);
      if (!exact && is_near(stated, middle)) found.push_back({middle, how});
    };
    all_of_the_sentence(line, stated, found);
    saved(line, stated, all, found);
    for (std::size_t i = 0; i < own && !exact; ++i) {
      const Operand& a = all[i];
      for (std::size_t j = 0; j < all.size() && !exact; ++j) {
        const Operand& b = all[j];
        if (i == j || (a.amount != nullptr && a.amount == b.amount) || !bench_.go_on()) continue;
        // What is counted, by what is counted, is a share only where both are of one kind.
        if (share && (a.amount == nullptr || b.amount == nullptr || a.amount->dimension != b.amount->dimension ||
                      a.amount->dimension == ClaimDimension::kBare))
          continue;
        if (j > i || j >= own) take(a.value * b.value, a.units + b.units, a.text + " \xC3\x97 " + b.text);
        take(a.value * with(b, true), a.units + -b.units, a.text + " / " + b.text);
        if (j >= own) take(b.value * with(a, true), b.units + -a.units, b.text + " / " + a.text);
        if (share) continue;
        for (std::size_t k = j + 1; k < own && !exact; ++k) {
          const Operand& c = all[k];
          if (k == i || (c.amount != nullptr && (c.amount == a.amount || c.amount == b.amount))) continue;
          if (j < i && k > i) continue;
          const std::string three = a.text + " \xC3\x97 " + b.text;
          take(a.value * b.value * c.value, a.units + b.units + c.units, three + " \xC3\x97 " + c.text);
          take(a.value * b.value * with(c, true), a.units + b.units + -c.units, three + " / " + c.text);
          take(a.value * with(b, true) * with(c, true), a.units + -b.units + -c.units,
               a.text + " / (" + b.text + " \xC3\x97 " + c.text + ")");
          take(a.value * c.value * with(b, true), a.units + c.units + -b.units,
               a.text + " \xC3\x97 " + c.text + " / " + b.text);
        }
      }
    }
    if (exact || found.empty()) return;
    constexpr double kSame = 0.01;
    for (const Solution& one : found)
      if (std::fabs(one.value / found.front().value - 1) > kSame) return;
    if (is_given(line, stated, *wanted)) return;
    const int at = line.line_of(stated);
    const auto is_there = [&](const Finding& one) { return one.line == at && one.said.contains(stated.text); };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    bench_.use(stated);
    bench_.right.emplace(stated.id, found.front().value);
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, ends_of(found.front().value)),
                found.front().how);
  }

  /// "Storage of 1.04 TB for two months at $20 per TB-month is $41.60": the product of all that it says, whatever the
  /// units are.
  static void all_of_the_sentence(const ClaimLine& line, const ClaimAmount& stated, std::vector<Solution>& found) {
    if (stated.dimension != ClaimDimension::kMoney || stated.low / stated.low_step < 100) return;
    const std::size_t from = begin_of_sentence(line.said.text, stated.from);
    const std::size_t end = end_of_sentence(line.said.text, stated.to);
    double product = 1;
    int operands = 0;
    std::string how;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= end || &one == &stated) continue;
      if (one.from > stated.from || one.range() || one.dimension == ClaimDimension::kShare) return;
      product *= one.low / one.unit;
      how += (how.empty() ? "" : " \xC3\x97 ") + one.text;
      ++operands;
    }
    for (const double number : number_words(std::string_view(line.said.text).substr(from, stated.from - from))) {
      product *= number;
      how += " \xC3\x97 " + number_text(number);
      ++operands;
    }
    if (operands < 2) return;
    // "60 TB at $0.05 per GB" are a thousand times as much.
    constexpr double kThousand = 1e3;
    const bool of_either = how.contains("TB") && to_lower(line.said.text.substr(from, end - from)).contains("per gb");
    if (of_either) product *= kThousand;
    if (is_near(stated, product * stated.unit)) found.push_back({product * stated.unit, how});
  }

  /// "which saves $34,974": the difference of two amounts of its kind.
  static void saved(const ClaimLine& line, const ClaimAmount& stated, const std::vector<Operand>& all,
                    std::vector<Solution>& found) {
    const std::string front = front_of(line, stated);
    constexpr std::size_t kNear = 24;
    const std::string_view words = std::string_view(front).substr(front.size() - std::min(front.size(), kNear));
    if (!has_word_of(words, {"saves", "save", "saving", "difference", "leaves", "leaving"})) return;
    for (const Operand& a : all)
      for (const Operand& b : all) {
        if (a.amount == nullptr || b.amount == nullptr || a.amount->dimension != stated.dimension ||
            b.amount->dimension != stated.dimension || a.amount->low <= b.amount->low)
          continue;
        const double right = a.amount->low - b.amount->low;
        if (is_near(stated, right)) found.push_back({right, a.text + " - " + b.text});
      }
  }

  /// The same digits but for one, or for two that changed places.
  static bool is_near(const ClaimAmount& stated, double right) {
    return is_slip_of_a_digit(stated.low / stated.low_step, right / stated.low_step);
  }

  /// What follows does not make it one of something else: "600 GB usable", "30% cheaper than both".
  static bool ends_here(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string behind = to_lower(std::string_view(line.said.text).substr(stated.to));
    return ends_clause(behind) ||
           starts_with_any(behind, {" a month", " per month", " a year", " per year", " for ", " over ", " on a single",
                                    " on one", " of the ", " in ", " each", " per gpu", " of memory", " or "});
  }

  /// "40 h at $2/h and 10 h at $3/h cost $110": two amounts of two kinds are added up.
  static bool adds_products(const std::vector<Operand>& all, std::size_t own) {
    int twice = 0;
    for (const ClaimDimension kind : {ClaimDimension::kTime, ClaimDimension::kGpuTime, ClaimDimension::kPrice,
                                      ClaimDimension::kTokens, ClaimDimension::kTokenRate}) {
      const auto count =
          std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own),
                        [&](const Operand& one) { return one.amount != nullptr && one.amount->dimension == kind; });
      twice += count > 1 ? 1 : 0;
    }
    return twice > 1;
  }

  /// Words between the amount before it and it say that it comes to that; where it has two digits, nothing but such.
  static bool leads_to(const ClaimLine& line, const ClaimAmount& stated) {
    const std::size_t from = begin_of_sentence(line.said.text, stated.from);
    std::size_t last = from;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.to <= stated.from) last = std::max(last, one.to);
    const std::string gap = to_lower(line.said.text.substr(last, stated.from - last));
    constexpr std::size_t kNear = 60;
    constexpr double kManyDigits = 100;
    bool verb = false;
    if (stated.low / stated.low_step < kManyDigits && stated.dimension != ClaimDimension::kShare &&
        !(leads(gap, verb) && verb))
      return false;
    return gap.size() <= kNear &&
           (has_word_of(gap, kComesTo) || trim(gap) == ")" || gap.contains('=') || gap.contains(':') ||
            gap.contains('(') || gap.contains("\xE2\x86\x92") || gap.contains("\xE2\x89\x88") || gap.contains("->"));
  }

  Bench& bench_;
  Operands operands_;
};

}  // namespace

void check_solved(Bench& bench) { Solved(bench).check(); }

}  // namespace gpuplan::audit
