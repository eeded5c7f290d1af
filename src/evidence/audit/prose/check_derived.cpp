#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// An amount that follows from two others by what the three are: GPU-hours by price are money.
struct Physics {
  ClaimDimension result, a, b;
  bool quotient;  ///< a / b
  double unit;    ///< of the product, in base units of the result
};
constexpr Physics kPhysics[] = {
    {ClaimDimension::kTime, ClaimDimension::kTokens, ClaimDimension::kTokenRate, true, 1},
    {ClaimDimension::kTime, ClaimDimension::kSamples, ClaimDimension::kSampleRate, true, 1},
    {ClaimDimension::kTime, ClaimDimension::kSteps, ClaimDimension::kStepTime, false, 1},
    {ClaimDimension::kTime, ClaimDimension::kBytes, ClaimDimension::kByteRate, true, 1},
    {ClaimDimension::kTime, ClaimDimension::kGpuTime, ClaimDimension::kGpus, true, 1},
    {ClaimDimension::kTime, ClaimDimension::kEnergy, ClaimDimension::kPower, true, 1},
    {ClaimDimension::kTime, ClaimDimension::kOperations, ClaimDimension::kOperationRate, true, 1},
    {ClaimDimension::kGpuTime, ClaimDimension::kTime, ClaimDimension::kGpus, false, 1},
    {ClaimDimension::kMoney, ClaimDimension::kGpuTime, ClaimDimension::kPrice, false, 1 / kHour},
    {ClaimDimension::kMoney, ClaimDimension::kTime, ClaimDimension::kPrice, false, 1 / kHour},
    {ClaimDimension::kEnergy, ClaimDimension::kPower, ClaimDimension::kTime, false, 1},
    {ClaimDimension::kTokens, ClaimDimension::kTokenRate, ClaimDimension::kTime, false, 1},
    {ClaimDimension::kSteps, ClaimDimension::kTokens, ClaimDimension::kTokens, true, 1},
    {ClaimDimension::kBytes, ClaimDimension::kParameters, ClaimDimension::kWidth, false, 1},
    {ClaimDimension::kBytes, ClaimDimension::kBytes, ClaimDimension::kGpus, true, 1},
    {ClaimDimension::kShare, ClaimDimension::kOperationRate, ClaimDimension::kOperationRate, true, 1},
};

/// Words that say that what stands behind them was computed, in the languages that plans are written in.
constexpr std::string_view kComputed[] = {
    "so",        "thus",    "hence",    "therefore", "that is",  "which is",   "takes",       "take",     "costs",
    "cost",      "come to", "comes to", "makes",     "make",     "gives",      "give",        "uses",     "use",
    "consumes",  "need",    "needs",    "total",     "are",      "is",         "i.e.",        "would be", "will be",
    "also",      "ergibt",  "ergeben",  "damit",     "daher",    "somit",      "sind",        "macht",    "kostet",
    "kosten",    "dauert",  "dauern",   "braucht",   "brauchen", "entspricht", "entsprechen", "rund",     "zusammen",
    "insgesamt", "soit",    "donc",     "fait",      "font",     "prend",      "prennent",    "demande",  "au total",
    "est de",    "sont",    "environ"};
/// It looks back at what other sentences say.
constexpr std::string_view kLooksBack[] = {"so",      "thus",          "hence",    "therefore", "that is", "that makes",
                                           "this is", "that comes to", "it takes", "also",      "damit",   "daher",
                                           "somit",   "soit",          "donc",     "cela",      "das",     "therefore"};
/// It is another amount than the one that would follow.
constexpr std::string_view kOther[] = {
    "not",     "instead", "save",  "saves",  "saving",   "saved",   "left",    "limit", "budget", "cap",
    "within",  "than",    "if",    "plus",   "unless",   "extra",   "each",    "rest",  "remain", "remaining",
    "longest", "until",   "nicht", "statt",  "budget",   "wenn",    "pas",     "sans",  "n'est",  "only",
    "already", "first",   "last",  "half",   "deadline", "maximum", "minimum", "max",   "min",    "least",
    "most",    "quota",   "allow", "allows", "reste",    "wait"};
/// More than what it is computed from is in it.
constexpr std::string_view kIncluded[] = {"included", "including", "incl",    "with",   "fee", "plus", "inklusive",
                                          "inkl",     "enthalten", "compris", "inclus", "mit", "avec", "together"};
/// What follows the amount makes it one of something else.
constexpr std::string_view kOfElse[] = {"per",    "each",    "a",       "an",    "more",    "less", "faster",  "slower",
                                        "longer", "shorter", "cheaper", "every", "saved",   "for",  "je",      "pro",
                                        "par",    "mehr",    "weniger", "de",    "of",      "left", "earlier", "later",
                                        "extra",  "apart",   "and",     "plus",  "under",   "over", "below",   "above",
                                        "before", "after",   "ago",     "to",    "without", "at",   "x"};

/// Operations a second of one GPU are fewer.
constexpr double kMostOfOne = 1e16;

bool is_told(const ClaimAmount& one) {
  return !one.range() && !one.odd && one.low > 0 && !one.at_least && !one.at_most && !one.added && !one.taken;
}

/// Amounts that sentences compute, in whatever words, and that nothing of their section gives.
class Derived {
 public:
  explicit Derived(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line) || line.said.text.contains('?')) continue;
      for (const ClaimAmount& one : line.said.quantities)
        if (is_told(one) && bench_.go_on()) computed(line, one);
    }
  }

 private:
  /// A sentence up to an amount.
  struct Front {
    std::size_t from = 0;
    std::string lower;  ///< the text before the amount
    std::vector<const ClaimAmount*> all;
  };

  static Front front_of(const ClaimLine& line, const ClaimAmount& stated) {
    Front front;
    front.from = begin_of_sentence(line.said.text, stated.from);
    front.lower = to_lower(line.said.text.substr(front.from, stated.from - front.from));
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= front.from && one.to <= stated.from) front.all.push_back(&one);
    return front;
  }

  /// All that the section of a line, and those around it, say of a kind.
  std::vector<const ClaimAmount*> told_near(const ClaimLine& line, ClaimDimension dimension) const {
    std::vector<const ClaimAmount*> found;
    constexpr std::size_t kMost = 80;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == dimension && one.low > 0 && !one.odd && found.size() < kMost) found.push_back(&one);
    };
    const auto is_near = [&](int section) {
      return bench_.within(section, line.section) || bench_.within(line.section, section);
    };
    for (const ClaimLine& other : bench_.document.lines)
      if (is_near(other.section)) take(other.said);
    for (const ClaimTable& table : bench_.document.tables)
      if (is_near(table.section))
        for (const ClaimRow& row : table.rows)
          for (const ClaimText& cell : row.cells) take(cell);
    return found;
  }

  /// The nearest of a kind in the lines before, of the same section.
  const ClaimAmount* before(const ClaimLine& line, const Front& front, ClaimDimension dimension) const {
    const ClaimAmount* found = nullptr;
    constexpr int kFarthest = 4;
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.code || other.line < line.line - kFarthest) continue;
      if (other.line > line.line) break;
      for (const ClaimAmount& one : other.said.quantities)
        if (one.dimension == dimension && is_told(one) && (&other != &line || one.to <= front.from)) found = &one;
    }
    return found;
  }

  /// The largest of a kind in the section, above the line.
  const ClaimAmount* largest_before(const ClaimLine& line, const Front& front, ClaimDimension dimension) const {
    const ClaimAmount* found = nullptr;
    for (const ClaimLine& other : bench_.document.lines) {
      if (other.section != line.section || other.code || other.line > line.line) continue;
      for (const ClaimAmount& one : other.said.quantities)
        if (one.dimension == dimension && is_told(one) && (&other != &line || one.to <= front.from) &&
            (found == nullptr || one.low > found->low))
          found = &one;
    }
    return found;
  }

  /// Products of what is counted in a sentence beside the operands, one first.
  static std::vector<double> factors(const ClaimLine& line, const Front& front, const ClaimAmount& stated,
                                     const ClaimAmount& a, const ClaimAmount& b) {
    std::vector<double> all{1};
    const auto take = [&](std::initializer_list<double> ways) {
      constexpr std::size_t kMost = 400;
      const std::size_t so_far = all.size();
      for (const double way : ways)
        for (std::size_t i = 0; i < so_far && all.size() < kMost; ++i) all.push_back(all[i] * way);
    };
    const std::size_t end = end_of_sentence(line.said.text, stated.to);
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < front.from || one.from >= end || &one == &a || &one == &b || &one == &stated || one.low <= 0)
        continue;
      if (one.dimension == ClaimDimension::kShare) take({1 + one.low, 1 - one.low, one.low, 1 / one.low});
      else if (one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kGpus ||
               one.dimension == ClaimDimension::kEpochs || one.dimension == ClaimDimension::kTimes ||
               one.dimension == ClaimDimension::kSamples || one.dimension == ClaimDimension::kSteps)
        take({one.low, 1 / one.low});
    }
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.count > 1 && gpu.from >= front.from && gpu.from < end) take({double(gpu.count), 1.0 / gpu.count});
    for (const double number : number_words(line.said.text.substr(front.from, end - front.from)))
      take({number, 1 / number});
    return all;
  }

  static ClaimEnds value_of(const Physics& law, const ClaimAmount& a, const ClaimAmount& b) {
    return (law.quotient ? ends_of(a) / ends_of(b) : ends_of(a, true) * ends_of(b, true)) * law.unit;
  }

  /// Up to a third more time than computed is for what stands beside the work; counts in prose are rounded.
  static bool agrees(const ClaimAmount& stated, const ClaimEnds& right) {
    constexpr double kBeside = 1.3, kLittle = 1.1, kRounded = 0.02, kDigits = 100;
    // What is told with three digits is computed, and has little beside it.
    const bool exact = !stated.approximate && stated.low >= kDigits * stated.low_step;
    const ClaimEnds wide{{right.low.low * (1 - kRounded), right.low.high * (1 + kRounded)},
                         {right.high.low * (1 - kRounded), right.high.high * (1 + kRounded)}};
    return stated.dimension == ClaimDimension::kTime ? fits_at_least(stated, wide,
                                                                     exact              ? 1 + kRounded
                                                                     : is_round(stated) ? kBeside
                                                                                        : kLittle)
                                                     : fits(stated, wide);
  }

  /// "20 h", "35 min", "6 h" and "about 37 h" have room for what stands beside the work; "37 h" was computed.
  static bool is_round(const ClaimAmount& stated) {
    constexpr double kFive = 5, kTen = 10;
    const double digits = stated.low / stated.low_step;
    return stated.approximate || digits < kTen || std::fabs(std::remainder(digits, kFive)) < 1e-6;
  }

  void computed(const ClaimLine& line, const ClaimAmount& stated) {
    const Front front = front_of(line, stated);
    if (front.all.empty() || !is_result(line, front, stated) || !bench_.go_through()) return;
    const bool in_parts = has_any(front.lower, {"shard", "split", "divided", "spread", "verteilt", "r\xC3\xA9parti"});
    const Physics* law = nullptr;
    const ClaimAmount *a = nullptr, *b = nullptr;
    for (const Physics& one : kPhysics) {
      if (one.result != stated.dimension || (one.a == one.result && !in_parts) ||
          (one.result == ClaimDimension::kShare && !has_word_of(front.lower, {"mfu", "utilization", "hfu"})))
        continue;
      const auto [x, y] = operands(line, front, one);
      if (x == nullptr || y == nullptr || (stated.dimension == ClaimDimension::kMoney && differ(stated, *y)) ||
          is_of_other(front, *x, *y))
        continue;
      if (is_given_by(one, line, front, stated, *x, *y)) return;
      if (law == nullptr) law = &one, a = x, b = y;
    }
    if (law == nullptr) return;
    const auto right = right_of(*law, line, front, stated, *a, *b);
    if (!right) return;
    for (const ClaimAmount* one : {a, b, &stated}) bench_.use(*one);
    const int at = line.line_of(stated);
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == at; })) return;
    bench_.right.emplace(stated.id, (right->low_middle() + right->high_middle()) / 2);
    bench_.find(FindingKind::kWrong, at, line.label, stated.text, told(stated, *right),
                a->text + (law->quotient ? " / " : " \xC3\x97 ") + b->text);
  }

  /// The words say that it was computed, and of what stands before it alone.
  static bool is_result(const ClaimLine& line, const Front& front, const ClaimAmount& stated) {
    const std::string_view gap =
        std::string_view(front.lower).substr(std::min(front.all.back()->to - front.from, front.lower.size()));
    if (!(has_word_of(front.lower, kComputed) || gap.contains('='))) return false;
    constexpr std::size_t kNear = 60;
    if (gap.size() > kNear || gap.contains("(")) return false;
    const std::string_view behind = trim(std::string_view(line.said.text).substr(stated.to));
    if (behind.starts_with('/') || behind.starts_with('(') || behind.starts_with('\xC3')) return false;
    const std::size_t end = end_of_sentence(line.said.text, stated.to);
    if (has_word_of(to_lower(line.said.text.substr(stated.to, end - std::min(end, stated.to))), kIncluded))
      return false;
    const std::size_t word = behind.find_first_of(" ,.;:)");
    const std::string next = to_lower(behind.substr(0, word));
    if (stated.dimension == ClaimDimension::kBytes &&
        (next == "each" || starts_with_any(behind, {"per GPU", "je GPU"})))
      return true;
    return std::ranges::find(kOfElse, next) == std::end(kOfElse);
  }

  /// Words behind the first of the operands say that the amount is another than what they come to.
  static bool is_of_other(const Front& front, const ClaimAmount& a, const ClaimAmount& b) {
    std::size_t from = std::string::npos;
    for (const ClaimAmount* one : {&a, &b})
      if (std::ranges::find(front.all, one) != front.all.end()) from = std::min(from, one->to - front.from);
    const std::size_t own = front.lower.rfind(". ");
    if (own != std::string::npos && from == std::string::npos) from = own;
    const std::string_view words = std::string_view(front.lower).substr(std::min(from, front.lower.size()));
    // What each of the first is does not matter: "2,000 prompts of 400 tokens each are 800,000 tokens, at ..."
    return has_word_of(words, kOther);
  }

  static bool differ(const ClaimAmount& money, const ClaimAmount& price) { return money.currency != price.currency; }

  /// The last of either kind in the sentence; one of them may stand in those before it.
  std::pair<const ClaimAmount*, const ClaimAmount*> operands(const ClaimLine& line, const Front& front,
                                                             const Physics& law) const {
    const auto last = [&](ClaimDimension dimension, const ClaimAmount* but) -> const ClaimAmount* {
      for (auto at = front.all.rbegin(); at != front.all.rend(); ++at)
        if ((*at)->dimension == dimension && *at != but && is_told(**at)) return *at;
      return nullptr;
    };
    // Of two amounts of tokens the larger one is that of the run.
    if (law.a == law.b) {
      const ClaimAmount *one = last(law.a, nullptr), *other = one == nullptr ? nullptr : last(law.a, one);
      if (law.result == ClaimDimension::kShare) {
        // Of the peak, which is the largest of one GPU.
        for (const ClaimAmount* peak : told_near(line, law.a))
          if (peak->low < kMostOfOne && (other == nullptr || peak->low > other->low)) other = peak;
      } else if (one != nullptr && has_word_of(front.lower, kLooksBack)) {
        // Of two amounts of a sentence the larger one is that of a step; the run is told before.
        if (other != nullptr && other->low > one->low) one = other;
        const ClaimAmount* run = largest_before(line, front, law.a);
        if (run != nullptr && run->low > one->low) other = run;
      }
      if (one == nullptr || other == nullptr || one == other) return {nullptr, nullptr};
      const bool larger_first = law.result != ClaimDimension::kShare;
      return (one->low > other->low) == larger_first ? std::pair{one, other} : std::pair{other, one};
    }
    const ClaimAmount *a = last(law.a, nullptr), *b = last(law.b, nullptr);
    if ((a == nullptr) != (b == nullptr) && has_word_of(front.lower, kLooksBack)) {
      if (a == nullptr) a = before(line, front, law.a);
      else b = before(line, front, law.b);
    }
    return {a, b};
  }

  /// Some pair of such amounts in the section gives it, with what the sentence counts.
  bool is_given_by(const Physics& law, const ClaimLine& line, const Front& front, const ClaimAmount& stated,
                   const ClaimAmount& a, const ClaimAmount& b) {
    for (const double factor : factors(line, front, stated, a, b))
      if (agrees(stated, value_of(law, a, b) * factor)) return true;
    std::vector<double> counts{1};
    for (const ClaimDimension kind : {ClaimDimension::kGpus, ClaimDimension::kEpochs})
      for (const ClaimAmount* one : told_near(line, kind)) counts.push_back(one->low);
    for (const GpuMention& gpu : line.said.gpus) counts.push_back(std::max(gpu.count, 1));
    const auto with = told_near(line, law.b);
    for (const ClaimAmount* x : told_near(line, law.a))
      for (const ClaimAmount* y : with) {
        if (!bench_.go_on()) return true;
        if (x == y || x == &stated || y == &stated) continue;
        const ClaimEnds value = value_of(law, *x, *y);
        for (const double count : counts)
          if (agrees(stated, value * count) || agrees(stated, value * (1 / count))) return true;
      }
    // It may be a sum of what was told of its own kind, or one of them again.
    for (const ClaimAmount* one : told_near(line, stated.dimension))
      if (one != &stated && may_be_same(*one, stated)) return true;
    return false;
  }

  /// What it should be; nullopt: something is counted between the operands and it that may be meant in several ways.
  static std::optional<ClaimEnds> right_of(const Physics& law, const ClaimLine& line, const Front& front,
                                           const ClaimAmount& stated, const ClaimAmount& a, const ClaimAmount& b) {
    double gpus = 1;
    const bool of_each = law.a == ClaimDimension::kPower ||
                         (law.b == ClaimDimension::kPrice && b.per_gpu && law.a == ClaimDimension::kTime);
    std::size_t first = stated.from;
    for (const ClaimAmount* one : {&a, &b})
      if (std::ranges::find(front.all, one) != front.all.end()) first = std::min(first, one->from);
    for (const ClaimAmount* one : front.all) {
      if (one == &a || one == &b) continue;
      // "40 h at $2/h and 10 h at $3/h"
      const bool adds = one->dimension != ClaimDimension::kTokens && one->dimension != ClaimDimension::kBytes;
      if (adds && (one->dimension == law.a || one->dimension == law.b)) return std::nullopt;
      if (one->from < first) continue;
      if (one->dimension == stated.dimension || one->dimension == law.a || one->dimension == law.b ||
          one->dimension == ClaimDimension::kShare || one->dimension == ClaimDimension::kBare ||
          one->dimension == ClaimDimension::kTimes || one->dimension == ClaimDimension::kEpochs)
        return std::nullopt;
    }
    if (of_each) {
      gpus = gpus_counted(line.said, front.from, stated.to);
      if (gpus == 0 && law.a != ClaimDimension::kPower) return std::nullopt;
      gpus = std::max(gpus, 1.0);
    }
    const ClaimEnds right = value_of(law, a, b) * gpus;
    // What is far off is of something else.
    constexpr double kFar = 20;
    if (stated.low > kFar * right.most() || right.least() > kFar * stated.low) return std::nullopt;
    return right;
  }

  Bench& bench_;
};

}  // namespace

void check_derived(Bench& bench) { Derived(bench).check(); }

}  // namespace gpuplan::audit
