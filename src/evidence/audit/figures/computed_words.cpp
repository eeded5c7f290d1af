#include "evidence/audit/figures/computed_words.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

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

}  // namespace

bool is_told(const ClaimAmount& one) {
  return !one.range() && !one.odd && one.low > 0 && !one.at_least && !one.at_most && !one.added && !one.taken;
}

bool says_computed(std::string_view lower) { return has_word_of(lower, kComputed); }
bool points_back(std::string_view lower) { return has_word_of(lower, kLooksBack); }
bool says_other(std::string_view lower) { return has_word_of(lower, kOther); }

Front front_of(const ClaimLine& line, const ClaimAmount& stated) {
  Front front;
  front.from = begin_of_sentence(line.said.text, stated.from);
  front.lower = to_lower(line.said.text.substr(front.from, stated.from - front.from));
  for (const ClaimAmount& one : line.said.quantities)
    if (one.from >= front.from && one.to <= stated.from) front.all.push_back(&one);
  return front;
}

bool is_result(const ClaimLine& line, const Front& front, const ClaimAmount& stated) {
  const std::string_view gap =
      std::string_view(front.lower).substr(std::min(front.all.back()->to - front.from, front.lower.size()));
  if (!(says_computed(front.lower) || gap.contains('='))) return false;
  constexpr std::size_t kNear = 60;
  return gap.size() <= kNear && !gap.contains("(") && stands_alone(line, stated);
}

bool stands_alone(const ClaimLine& line, const ClaimAmount& stated) {
  const std::string_view behind = trim(std::string_view(line.said.text).substr(stated.to));
  if (behind.starts_with('/') || behind.starts_with('(') || behind.starts_with('\xC3')) return false;
  const std::size_t end = end_of_sentence(line.said.text, stated.to);
  if (has_word_of(to_lower(line.said.text.substr(stated.to, end - std::min(end, stated.to))), kIncluded)) return false;
  const std::size_t word = behind.find_first_of(" ,.;:)");
  const std::string next = to_lower(behind.substr(0, word));
  if (stated.dimension == ClaimDimension::kBytes && (next == "each" || starts_with_any(behind, {"per GPU", "je GPU"})))
    return true;
  return std::ranges::find(kOfElse, next) == std::end(kOfElse);
}

bool agrees(const ClaimAmount& stated, const ClaimEnds& right) {
  constexpr double kBeside = 1.3, kRounded = 0.02, kDigits = 100;
  // What is told with three digits is computed, and has little beside it.
  const bool exact = !stated.approximate && stated.low >= kDigits * stated.low_step;
  const ClaimEnds wide{{right.low.low * (1 - kRounded), right.low.high * (1 + kRounded)},
                       {right.high.low * (1 - kRounded), right.high.high * (1 + kRounded)}};
  return stated.dimension == ClaimDimension::kTime ? fits_at_least(stated, wide, exact ? 1 + kRounded : kBeside)
                                                   : fits(stated, wide);
}

}  // namespace gpuplan::audit
