#include "output/view_parts.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/plan_words.h"

namespace gpuplan {

std::vector<const Plan*> plans_shown(const PlanStory& story, std::size_t least) {
  std::vector<const Plan*> plans;
  const auto& all = story.found.plans;
  auto shown = static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const Plan& p) { return p.on_frontier || &p == story.pick(); }));
  for (const Plan& plan : all) {
    bool show = story.all || plan.on_frontier || &plan == story.pick();
    if (!show && shown < least &&
        std::ranges::none_of(
            all,
            [&](const Plan& p) {
              return p.label == plan.label && (&p < &plan || p.on_frontier || &p == story.pick());
            })) {
      show = true;
      ++shown;
    }
    if (show) plans.push_back(&plan);
  }
  return plans;
}

Cell pick_mark(const PlanStory& story, const Plan& plan) {
  return &plan == story.pick() ? Cell("✔", Paint::kGreen) : Cell();
}

std::string batch_words(const PhaseEstimate& estimate, const Phase& phase) {
  if (!estimate.node || estimate.batch <= 0) return "";
  const Strategy& s = estimate.strategy;
  if (std::holds_alternative<TrainPhase>(phase.work))
    return std::to_string(s.dp) + " x " + count_text(s.micro_batch) + " x " + count_text(s.grad_accum) + " = " +
           count_text(estimate.batch);
  if (std::holds_alternative<GeneratePhase>(phase.work))
    return std::to_string(s.dp) + " x " + count_text(s.micro_batch) + " = " + count_text(estimate.batch);
  return "";
}

std::string with_range(const Outcome<Seconds>& hours) {
  return hours.p10 == hours.p90 ? hours_text(hours.p50) : hours_text(hours.p50) + " (" + outcome_text(hours) + ")";
}

std::string with_range(const Outcome<Dollars>& cost) {
  const std::string range = outcome_text(cost);
  return cost.p10 == cost.p90 || range.empty() ? to_text(cost.p50) : to_text(cost.p50) + " (" + range + ")";
}

const Phase& phase_of(const PlanStory& story, const PhasePlan& part) {
  return story.job.phases[static_cast<std::size_t>(part.estimate.phase)];
}

}  // namespace gpuplan
