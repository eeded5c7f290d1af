#include "plan/recommendation.h"

#include <algorithm>
#include <tuple>

#include "plan/ledger.h"

namespace gpuplan {

namespace {

/// Position of the plan with the least key among those that `counts`; ties by GPU-hours, then list order.
template <class Counts, class Key>
std::optional<int> least(const std::vector<Plan>& plans, Counts counts, Key key) {
  std::optional<int> best;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!counts(plans[i])) continue;
    if (!best) {
      best = static_cast<int>(i);
      continue;
    }
    const Plan& other = plans[static_cast<std::size_t>(*best)];
    if (std::tuple(key(plans[i]), plans[i].billed_gpu_hours) < std::tuple(key(other), other.billed_gpu_hours))
      best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

Contends::Contends(const std::vector<Plan>& plans) {
  none_fits_ = std::ranges::none_of(plans, [](const Plan& plan) { return plan.fit == Fit::kFits; });
  none_reaches_ = std::ranges::none_of(
      plans, [&](const Plan& plan) { return plan.reaches_target && (plan.fit == Fit::kFits || none_fits_); });
}

std::vector<const Plan*> contenders(const std::vector<Plan>& plans) {
  const Contends contends(plans);
  std::vector<const Plan*> result;
  for (const Plan& plan : plans)
    if (contends(plan)) result.push_back(&plan);
  return result;
}

Recommendations recommend(const Job& job, const std::vector<Plan>& plans) {
  Recommendations result;
  const Contends runs(plans);
  const auto in_time = [&](const Plan& p) { return runs(p) && p.meets_deadline; };
  const auto in_budget = [&](const Plan& p) { return runs(p) && p.meets_budget; };
  const auto in_limits = [&](const Plan& p) {
    return runs(p) && p.meets_deadline && p.meets_budget && p.reaches_target;
  };

  const auto cost = [](const Plan& p) { return std::tuple(p.cost.p50, p.hours.p50); };
  const auto hours = [](const Plan& p) { return std::tuple(p.hours.p50, p.cost.p50); };
  const auto value = [&](const Plan& p) {
    return std::tuple(p.cost.p50 + job.value_of_time * p.hours.p50, p.hours.p50);
  };
  const auto gpus = [](const Plan& p) {
    return std::tuple(std::max(p.gpus, gpus_at_once(p.leases)), p.cost.p50, p.hours.p50);
  };

  result.cheapest = least(plans, runs, cost);
  result.fastest = least(plans, runs, hours);
  result.best_value = least(plans, runs, value);
  result.fewest_gpus = least(plans, in_limits, gpus);
  if (job.limits.deadline) result.within_deadline = least(plans, in_time, cost);
  if (job.limits.budget) result.within_budget = least(plans, in_budget, hours);

  switch (job.goal) {
    case Goal::kBestValue:
      result.pick = least(plans, in_limits, value);
      break;
    case Goal::kCheapest:
      result.pick = least(plans, in_limits, cost);
      break;
    case Goal::kFastest:
      result.pick = least(plans, in_limits, hours);
      break;
    case Goal::kFewestGpus:
      result.pick = result.fewest_gpus;
      break;
  }
  if (!result.pick && !plans.empty()) {
    result.limits_missed = true;
    // The nearest miss: of the limits that can not be kept, the target weighs first, then the deadline.
    const bool hopeless = std::ranges::none_of(plans, [&](const Plan& p) { return runs(p) && p.reaches_target; });
    const auto missing = [](const Plan& p) { return std::tuple(p.shortfall(), p.cost.p50); };
    result.pick = hopeless                                         ? least(plans, runs, missing)
                  : job.limits.deadline && !result.within_deadline ? result.fastest
                  : job.limits.deadline                            ? result.within_deadline
                                                                   : result.cheapest;
  }
  return result;
}

}  // namespace gpuplan
