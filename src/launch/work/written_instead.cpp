#include "launch/work/written_instead.h"

#include <algorithm>
#include <variant>

#include "base/amount.h"
#include "base/text.h"
#include "launch/work/work.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"
#include "plan/advice/alternatives.h"
#include "plan/ranking/fallback.h"

namespace gpuplan {
namespace {

/// Times the recommended plan's hours and cost that what stands in its place may take, or what a day of writing scripts
/// by hand takes: they are worth no more.
constexpr double kMostOfPick = 1.5;
constexpr Seconds kDay = 8 * units::hour;

/// Whether so much more time and cost are so little that somebody would rather have them than write scripts.
bool nearly_as_good(const PlanReport& report, const Plan& pick, Seconds done, Dollars cost) {
  const Dollars day = report.job.value_of_time * kDay;
  return done <= std::max(pick.done() * kMostOfPick, pick.done() + kDay) &&
         cost <= std::max(pick.cost.p50 * kMostOfPick, pick.cost.p50 + day);
}

/// Of a pick of one phase. What fits only in the median is no way out.
std::string other_framework(const PlanReport& report, const Plan& pick) {
  if (pick.phases.size() != 1) return "";
  const PhaseEstimate& chosen = *pick.phases.front().estimate;
  for (const Alternative& other : alternatives(report.job, chosen, report.catalogue)) {
    if (other.aspect != Aspect::kFramework || other.time <= 0 || other.why == WhyNot::kTight) continue;
    const Seconds done = pick.done() * other.time;
    if (!nearly_as_good(report, pick, done, pick.cost.p50 * other.time)) continue;
    Plan so = pick;
    so.phases.front().estimate = other.in_place_of(chosen);
    if (!unwritten(report.job, so, report.catalogue).empty()) continue;
    return "With " + std::string(report.in_flags ? "--framework " : "framework: ") + other.framework->name +
           " launch writes a program for it, which takes about " + times_words(other.time) + " the time.";
  }
  return "";
}

}  // namespace

std::string written_instead(const PlanReport& report) {
  const Plan& pick = *report.pick();
  if (std::string words = other_framework(report, pick); !words.empty()) return words;
  for (const Fallback& row : market_order(report.job, report.found, report.compared())) {
    const Plan& plan = *row.plan;
    if (plan.id == pick.id || !plan.keeps_limits() || !nearly_as_good(report, pick, plan.done(), plan.cost.p50))
      continue;
    if (!unwritten(report.job, plan, report.catalogue).empty()) continue;
    return "launch writes a program for " + report.name(plan) + " (" + hours_words(plan.hours.p50) + ", " +
           to_text(plan.cost.p50) + "): add --plan " + plan.id + " to Next.";
  }
  return "";
}

}  // namespace gpuplan
