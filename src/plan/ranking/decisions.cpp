#include "plan/ranking/decisions.h"

#include <algorithm>

#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

namespace {

/// The plan whose machines cost least an hour, of those that cost anything; ties by the cost of the job.
std::optional<int> lowest_price(const std::vector<Plan>& plans) {
  const Contends runs(plans);
  std::optional<int> best;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto price = price_of(plans[i]);
    if (!runs(plans[i]) || !price) continue;
    if (best) {
      const Plan& other = plans[static_cast<std::size_t>(*best)];
      if (std::pair(*price, plans[i].cost.p50) >= std::pair(*price_of(other), other.cost.p50)) continue;
    }
    best = static_cast<int>(i);
  }
  if (best && *price_of(plans[static_cast<std::size_t>(*best)]) <= DollarsPerSecond{}) return std::nullopt;
  return best;
}

/// Half the time for twice the cost is no gain and no loss: the least cost times time, of what keeps the limits where
/// anything does. What is free has no balance to strike.
std::optional<int> balanced(const std::vector<Plan>& plans) {
  const Contends runs(plans);
  const bool any_keeps =
      std::ranges::any_of(plans, [&](const Plan& plan) { return runs(plan) && plan.keeps_limits(); });
  std::optional<int> best;
  double least = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    if (!runs(plan) || (any_keeps && !plan.keeps_limits())) continue;
    const double product = plan.cost.p50.value * plan.done().value;
    if (!(product > 0)) return std::nullopt;
    if (!best || product < least) {
      best = static_cast<int>(i);
      least = product;
    }
  }
  return best;
}

bool interrupted(const Plan& plan) { return plan.spot || plan.uninterrupted < 1; }

}  // namespace

std::optional<int> settled_among(const Job& job, const std::vector<Plan>& plans, const Compared& compared,
                                 bool (*counts)(const Plan&)) {
  const auto pick = pick_among(job, plans, counts);
  // As in recommend(): a nearest miss is compared with nothing, and fewer GPUs are fewer.
  if (!pick || !plans[static_cast<std::size_t>(*pick)].keeps_limits() || job.goal == Goal::kFewestGpus) return pick;
  const Contends runs(plans);
  std::vector<int> such;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (runs(plans[i]) && counts(plans[i]) && plans[i].keeps_limits()) such.push_back(static_cast<int>(i));
  return pick_of(job, plans, such, compared);
}

std::vector<Decision> decisions_of(const Job& job, const std::vector<Plan>& plans, const Recommendations& rules,
                                   const Compared& compared) {
  std::vector<Decision> found = {{Priority::kCheapest, rules.cheapest},
                                 {Priority::kBestValue, rules.best_value},
                                 {Priority::kFastest, rules.fastest}};
  if (job.limits.deadline) found.push_back({Priority::kWithinDeadline, rules.within_deadline});
  if (job.limits.budget) found.push_back({Priority::kWithinBudget, rules.within_budget});
  const Contends runs(plans);
  const auto any = [&](auto holds) {
    return std::ranges::any_of(plans, [&](const Plan& plan) { return runs(plan) && holds(plan); });
  };
  if (rules.fewest_gpus) {
    const int fewest = plans[static_cast<std::size_t>(*rules.fewest_gpus)].gpus_at_once();
    if (fewest > 0 && any([&](const Plan& plan) { return plan.gpus_at_once() > fewest; }))
      found.push_back({Priority::kFewestGpus, rules.fewest_gpus});
  }
  const auto add = [&](Priority priority, const std::optional<int>& plan) {
    if (plan) found.push_back({priority, plan});
  };
  if (rules.cheapest != rules.fastest) add(Priority::kBalanced, balanced(plans));
  if (any([](const Plan& plan) { return plan.gpus_at_once() > 1; }))
    add(Priority::kOneGpu, settled_among(job, plans, compared, takes_one_gpu));
  if (any(interrupted))
    add(Priority::kNoInterruptions,
        settled_among(job, plans, compared, [](const Plan& plan) { return !interrupted(plan); }));
  add(Priority::kLowestPrice, lowest_price(plans));
  if (rules.pick && std::ranges::find(found, rules.pick, &Decision::plan) == found.end())
    found.insert(found.begin(), {Priority::kJob, rules.pick});
  return found;
}

}  // namespace gpuplan
