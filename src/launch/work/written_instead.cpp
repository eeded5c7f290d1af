#include "launch/work/written_instead.h"

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

/// Times the recommended plan's hours and cost that what stands in its place may take: scripts written by hand take a
/// day, which is worth no more.
constexpr double kMostOfPick = 1.5;

/// Whether a plan takes so little more than the pick that somebody would rather have it than write scripts.
bool nearly_as_good(const Plan& plan, const Plan& pick) {
  return plan.done() <= pick.done() * kMostOfPick && plan.cost.p50 <= pick.cost.p50 * kMostOfPick;
}

/// Of a pick of one phase. What fits only in the median is no way out.
std::string other_framework(const PlanReport& report, const Plan& pick) {
  if (pick.phases.size() != 1) return "";
  const PhaseEstimate& chosen = *pick.phases.front().estimate;
  for (const Alternative& other : alternatives(report.job, chosen, report.catalogue)) {
    if (other.aspect != Aspect::kFramework || other.time <= 0 || other.why == WhyNot::kTight) continue;
    if (other.time > kMostOfPick) continue;
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
    if (plan.id == pick.id || !plan.keeps_limits() || !nearly_as_good(plan, pick)) continue;
    if (!unwritten(report.job, plan, report.catalogue).empty()) continue;
    return "launch writes a program for " + report.name(plan) + " (" + hours_words(plan.hours.p50) + ", " +
           to_text(plan.cost.p50) + "): add --plan " + plan.id + " to Next.";
  }
  return "";
}

}  // namespace gpuplan
