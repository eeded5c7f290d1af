// The laws: what must hold between the answers to a question and to a changed one, whatever the question.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laws/answer.h"

namespace gpuplan::laws {

/// Whether a law held for one case.
struct Verdict {
  bool asked = false;           ///< the law says something about this case
  std::string broken{};         ///< what is wrong, in a sentence; empty: it holds
  std::optional<Case> other{};  ///< the changed case that it was compared with
};
inline Verdict silent() { return {}; }
inline Verdict holds() { return {.asked = true}; }
inline Verdict broken(std::string words, std::optional<Case> other = std::nullopt) {
  return {.asked = true, .broken = std::move(words), .other = std::move(other)};
}

struct Law {
  std::string_view name;
  std::string_view says;
  Verdict (*check)(const Answer& base, Random& random);
};

std::span<const Law> search_laws();   ///< order, offers, prices, data (laws_search.cpp)
std::span<const Law> facts_laws();    ///< better hardware (laws_facts.cpp)
std::span<const Law> limit_laws();    ///< deadlines, budgets, chances (laws_limits.cpp)
std::span<const Law> figure_laws();   ///< of one answer by itself (laws_figures.cpp)
std::span<const Law> form_laws();     ///< the same answer in other forms (laws_forms.cpp)
std::span<const Law> prose_laws();    ///< what a job says in words (laws_prose.cpp)
std::span<const Law> command_laws();  ///< simulate, whatif, fit (laws_commands.cpp)

// ---- what laws compare ----------------------------------------------------------------------------------------------

/// Figures that come from sums in another order may differ in their last digits; totals are told in whole seconds, and
/// in cents or, below a dollar, in hundredths of them.
inline constexpr double kLastDigits = 1e-9;
inline constexpr double kSecond = 1.0 / 3600;
inline constexpr double step_of(double dollars) { return dollars < 1 ? 1.01e-4 : 1.01e-2; }
/// Whether the first is more, by more than rounding makes it.
bool more(double a, double b, double rounding = 0);
bool slower(const Plan& a, const Plan& b);
bool dearer(const Plan& a, const Plan& b);
inline bool same(double a, double b) { return !more(a, b) && !more(b, a); }

/// What a goal makes small: dollars, hours, dollars and hours by the job's value of an hour.
double dollars(const Plan& plan);
double hours(const Plan& plan);
/// Hours until the result is there, time in queues included.
double done(const Plan& plan);
double worth(const Answer& answer, const Plan& plan);

/// What a plainer way that has become good enough may cost against a harder, faster one: what care asks for a framework
/// that people think of by name only (data/practice_constants.csv), with the points of complexity.
/// docs/how-gpuplan-works.md says why it can not be none.
constexpr double kCare = 2 * 1.02;
/// The same where the harder way has layers cut in such a framework, too: all that care asks at most (`most` there).
constexpr double kMostCare = 3;

/// Machines of several phases are chosen by the medians of the phases, and a plan is told by the median of the whole:
/// the best by one is looked for near the best by the other, and not always found
/// (docs/how-gpuplan-works.md). The worst of 2,000 jobs: 1.0 %.
constexpr double kMedians = 1.02;
/// What may be so by that: nothing where there is one phase.
double slack(const Answer& answer);
/// How much larger the total of a pick may be than the least: what practice settles a tie by (tie_share).
double tie(const Answer& answer);

/// Where one of the three best of `better` is worse than that of `worse`; empty: nowhere, or they can not be compared
/// because other plans count (only tight ones, only ones that miss a target).
std::string worse_best(const Answer& worse, const Answer& better, double care = 1);
/// Whether the same kind of plans counts in both: ones that fit, and reach their targets.
bool comparable(const Answer& a, const Answer& b);

/// "4x RTX 3090 (k3f9a1): 3.4 h, $4.74".
std::string plan_words(const Plan& plan);

/// Where two answers differ in plans, figures or recommendations; empty: nowhere. The order of the phases may differ.
std::string difference(const Answer& a, const Answer& b);

}  // namespace gpuplan::laws
