#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/computed_words.h"
#include "evidence/audit/figures/powers.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// A share or a factor is of any unit.
bool is_of_unit(const ClaimAmount& one) {
  return one.dimension != ClaimDimension::kShare && one.dimension != ClaimDimension::kTimes;
}

/// Prices are of an hour, everything else is in base units.
ClaimEnds value_of(const ClaimAmount& one) {
  const ClaimEnds ends = ends_of(one, true);
  return one.dimension == ClaimDimension::kPrice ? ends * (1 / kHour) : ends;
}

ClaimEnds times(const ClaimEnds& value, const ClaimEnds& other, int power) {
  return power == 0 ? value : power > 0 ? value * other : value / other;
}

/// How far off a figure is that somebody got wrong; what is further off is of something else.
constexpr double kFarthest = 5;
bool is_near(const ClaimAmount& stated, const ClaimEnds& right) {
  return stated.low <= kFarthest * right.most() && right.least() <= kFarthest * stated.low;
}

bool is_as_told(const ClaimAmount& stated, const ClaimEnds& right) {
  return fits(stated, right) || agrees(stated, right);
}

/// Clauses all of whose amounts go together.
class Products {
 public:
  explicit Products(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities)
        if (is_told(one)) result(line, one);
      const std::string& text = line.said.text;
      for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(end_of_sentence(text, from), text.size());
        three(line, from, end);
        from = end + 2;
      }
    }
  }

 private:
  /// An operand with the powers it may have.
  struct Factor {
    ClaimEnds value;
    Powers powers;
    bool may_divide = true, may_be_left_out = true;
  };

  static Powers with(const Powers& powers, const Powers& factor, int power) {
    return power == 0 ? powers : power > 0 ? powers + factor : powers - factor;
  }

  /// Whether some product of the factors is what is stated.
  bool some_product(const ClaimAmount& stated, const std::vector<Factor>& factors, std::size_t at,
                    const ClaimEnds& value, Powers powers) {
    if (at == factors.size()) return powers == powers_of(stated.dimension) && is_as_told(stated, value);
    const Factor& one = factors[at];
    for (const int power : {1, -1, 0}) {
      if ((power == 0 && !one.may_be_left_out) || (power < 0 && !one.may_divide)) continue;
      if (some_product(stated, factors, at + 1, times(value, one.value, power), with(powers, one.powers, power)))
        return true;
    }
    return false;
  }

  /// "5 runs of 14 h on 4 GPUs are 280 GPU-hours": the first amount of a sentence that the ones before it lead to.
  void result(const ClaimLine& line, const ClaimAmount& stated) {
    if (!is_of_unit(stated) || stated.dimension == ClaimDimension::kSteps ||
        !stated.currency.empty() != (powers_of(stated.dimension).money != 0))
      return;
    const Front front = front_of(line, stated);
    constexpr std::size_t kMost = 4;
    if (front.all.empty() || front.all.size() > kMost || !is_clear(line, front, stated) || !bench_.go_through()) return;
    std::vector<Factor> factors;
    for (const ClaimAmount* one : front.all) {
      const Powers powers = powers_of(one->dimension);
      if (!is_of_unit(*one) || !is_told(*one)) return;
      // Two amounts of one unit are added up, or compared.
      for (const Factor& other : factors)
        if (!powers.none() && other.powers == powers) return;
      factors.push_back({value_of(*one), powers, !powers.none(), false});
    }
    if (stated.dimension == ClaimDimension::kBare && !front.lower.contains("batch")) return;
    double gpus = 1;
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.count > 1 && gpu.from >= front.from && gpu.from < stated.from) gpus *= gpu.count;
    if (front.all.size() + (gpus > 1 ? 1 : 0) < 2) return;
    const auto right = right_of(stated, factors, gpus);
    if (!right || !is_near(stated, *right)) return;
    if (is_as_told(stated, *right) || is_as_told(stated, *right * gpus)) {
      for (const ClaimAmount* one : front.all) bench_.use(*one);
      bench_.use(stated);
      return;
    }
    for (Factor& one : factors) one.may_divide = one.may_be_left_out = true;
    if (gpus > 1) factors.push_back({ends_of(gpus), {}});
    for (const double number : number_words(front.lower)) factors.push_back({ends_of(number), {}});
    if (some_product(stated, factors, 0, ends_of(1.0), {}) || with_one_more(line, stated, factors) ||
        is_told_elsewhere(stated))
      return;
    tell(line, stated, stated.dimension == ClaimDimension::kGpuTime || gpus <= 1 ? *right : *right * gpus, front.all);
  }

  /// All of them, counts multiplied; nullopt: their units do not come to that of the result.
  static std::optional<ClaimEnds> right_of(const ClaimAmount& stated, const std::vector<Factor>& factors, double gpus) {
    const Powers wanted = powers_of(stated.dimension);
    std::optional<ClaimEnds> right;
    for (std::size_t mask = 0; mask < (std::size_t{1} << factors.size()); ++mask) {
      Powers powers;
      ClaimEnds value = ends_of(1.0);
      bool good = true;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const int power = (mask >> i & 1U) != 0 ? -1 : 1;
        good = good && (power > 0 || factors[i].may_divide);
        powers = with(powers, factors[i].powers, power);
        value = times(value, factors[i].value, power);
      }
      if (good && powers == wanted && !right) right = value;
    }
    if (right && stated.dimension == ClaimDimension::kGpuTime && gpus > 1) right = *right * gpus;
    return right;
  }

  /// The sentence says that it follows from its amounts, and from nothing else.
  static bool is_clear(const ClaimLine& line, const Front& front, const ClaimAmount& stated) {
    constexpr std::size_t kNear = 60;
    const auto words = [&](std::size_t from, std::size_t to) {
      return std::string_view(front.lower).substr(from - front.from, to - from);
    };
    const std::string_view gap = words(front.all.back()->to, stated.from);
    if (gap.size() > kNear || gap.contains('(') || !(says_computed(gap) || gap.contains('='))) return false;
    std::string all(words(front.all.front()->to, stated.from));
    // "5 files of 3 GB each": of what is counted.
    for (std::size_t at = all.find("each"); at != std::string::npos; at = all.find("each")) all.erase(at, 4);
    if (says_other(all) || has_any(all, {"\xC3\x97", "*", " x ", " + ", ";", "%"})) return false;
    const bool batch = gap.contains("batch");
    for (std::size_t i = 1; i < front.all.size(); ++i) {
      const std::string_view joined = words(front.all[i - 1]->to, front.all[i]->from);
      if (says_computed(joined) || joined.contains('=') || joined.contains('(')) return false;  // a result before it
      if (!batch && has_word_of(joined, {"and", "or", "to", "from", "then", "plus", "und", "oder", "et", "ou"}))
        return false;
    }
    if (stands_alone(line, stated)) return true;
    // "43.2M tokens an epoch", "$350 a month"
    const std::string behind = to_lower(trim(std::string_view(line.said.text).substr(stated.to)));
    return starts_with_any(behind, {"an epoch", "per epoch", "a month", "per month", "a day", "a run", "per run",
                                    "a week", "a step", "per step"});
  }

  /// What another sentence of the paragraph tells may belong to it.
  bool with_one_more(const ClaimLine& line, const ClaimAmount& stated, std::vector<Factor> factors) {
    if (!bench_.go_through()) return true;
    factors.push_back({});
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.code) continue;
      for (const ClaimAmount& one : other.said.quantities) {
        if (&one == &stated || one.low <= 0) continue;
        if (!bench_.go_on()) return true;
        factors.back() = {value_of(one), powers_of(one.dimension)};
        if (some_product(stated, factors, 0, ends_of(1.0), {})) return true;
      }
    }
    return false;
  }

  bool is_told_elsewhere(const ClaimAmount& stated) {
    if (!bench_.go_through()) return true;
    const auto says = [&](const ClaimText& said) {
      return std::ranges::any_of(said.quantities, [&](const ClaimAmount& one) {
        return &one != &stated && one.dimension == stated.dimension && may_be_same(one, stated);
      });
    };
    if (std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return says(line.said); })) return true;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        if (std::ranges::any_of(row.cells, says)) return true;
    return false;
  }

  /// Three kinds of amounts that go together whatever their order: "4x L4 at $2.80/h: 14 hours, $39.20".
  struct Law {
    ClaimDimension result, a, b;
    bool quotient;
  };
  static constexpr std::array kLaws = {
      Law{ClaimDimension::kMoney, ClaimDimension::kGpuTime, ClaimDimension::kPrice, false},
      Law{ClaimDimension::kMoney, ClaimDimension::kTime, ClaimDimension::kPrice, false},
      Law{ClaimDimension::kEnergy, ClaimDimension::kPower, ClaimDimension::kTime, false},
      Law{ClaimDimension::kTime, ClaimDimension::kTokens, ClaimDimension::kTokenRate, true},
      Law{ClaimDimension::kTime, ClaimDimension::kSamples, ClaimDimension::kSampleRate, true},
      Law{ClaimDimension::kTime, ClaimDimension::kSteps, ClaimDimension::kStepTime, false},
      Law{ClaimDimension::kTime, ClaimDimension::kBytes, ClaimDimension::kByteRate, true},
  };

  void three(const ClaimLine& line, std::size_t from, std::size_t to) {
    constexpr std::size_t kLongest = 160, kMost = 5;
    std::vector<const ClaimAmount*> all;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.to <= to) all.push_back(&one);
    if (all.size() < 3 || all.size() > kMost || to - from > kLongest) return;
    const std::string lower = to_lower(line.said.text.substr(from, to - from));
    if (says_other(lower) ||
        has_word_of(lower, {"more",    "less",    "leaves",  "leave",   "balance", "credit", "credits",  "grant",
                            "deposit", "storage", "without", "besides", "before",  "after",  "discount", "reserve",
                            "buffer",  "spent",   "already", "from",    "vs",      "versus", "or",       "minus",
                            "free",    "fee",     "tax",     "monthly", "month",   "year",   "wait"}))
      return;
    for (const Law& law : kLaws) {
      const ClaimAmount *stated = nullptr, *a = nullptr, *b = nullptr;
      std::vector<Factor> counts;
      bool clear = true;
      for (const ClaimAmount* one : all) {
        const ClaimAmount** const place = one->dimension == law.result ? &stated
                                          : one->dimension == law.a    ? &a
                                          : one->dimension == law.b    ? &b
                                                                       : nullptr;
        if (place == nullptr) {
          clear = clear && is_of_unit(*one) && powers_of(one->dimension).none() && one->whole;
          counts.push_back({ends_of(*one, true), {}});
        } else {
          clear = clear && *place == nullptr && is_told(*one);
          *place = one;
        }
      }
      if (!clear || stated == nullptr || a == nullptr || b == nullptr) continue;
      if (law.b == ClaimDimension::kPrice && stated->currency != b->currency) continue;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.to <= to && gpu.count > 1) counts.push_back({ends_of(double(gpu.count)), {}});
      for (const double number : number_words(lower)) counts.push_back({ends_of(number), {}});
      const ClaimEnds right = law.quotient ? value_of(*a) / value_of(*b) : value_of(*a) * value_of(*b);
      for (const ClaimAmount* one : {stated, a, b}) bench_.use(*one);
      std::vector<Factor> factors{{right, powers_of(law.result), false, false}};
      factors.insert(factors.end(), counts.begin(), counts.end());
      if (some_product(*stated, factors, 0, ends_of(1.0), {}) || !is_near(*stated, right) || is_told_elsewhere(*stated))
        continue;
      tell(line, *stated, right, {a, b});
    }
  }

  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right,
            const std::vector<const ClaimAmount*>& of) {
    const int at = line.line_of(stated);
    bench_.use(stated);
    for (const ClaimAmount* one : of) bench_.use(*one);
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == at; })) return;
    std::vector<std::string> terms;
    for (const ClaimAmount* one : of) terms.push_back(one->text);
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, right), "of " + join(terms, ", "));
  }

  Bench& bench_;
};

}  // namespace

void check_products(Bench& bench) { Products(bench).check(); }

}  // namespace gpuplan::audit
