#include "plan/ranking/recommendation.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
  all_too_long_ = std::ranges::none_of(plans, [&](const Plan& plan) { return runs(plan) && !plan.too_long; });
}

std::vector<const Plan*> contenders(const std::vector<Plan>& plans) {
  const Contends contends(plans);
  std::vector<const Plan*> result;
  for (const Plan& plan : plans)
    if (contends(plan)) result.push_back(&plan);
  return result;
}

namespace {

/// What the job may ask to be small, with the time or the cost that decides between equals.
struct Keys {
  const Job& job;
  static auto cost(const Plan& p) { return std::tuple(p.cost.p50, p.done()); }
  static auto hours(const Plan& p) { return std::tuple(p.done(), p.cost.p50); }
  /// Time that somebody put a price on counts between as many GPUs.
  auto gpus(const Plan& p) const {
    const Dollars total = p.cost.p50 + (job.value_of_time_given ? job.value_of_time : DollarsPerSecond{}) * p.done();
    return std::tuple(p.gpus_at_once(), total, p.done());
  }
  auto value(const Plan& p) const { return std::tuple(p.cost.p50 + job.value_of_time * p.done(), p.done()); }
};

/// The pick among those that `runs`, and whether it misses the limits.
template <class Runs>
std::pair<std::optional<int>, bool> picked(const Job& job, const std::vector<Plan>& plans, Runs runs) {
  const Keys keys{job};
  const auto value = [&](const Plan& p) { return keys.value(p); };
  const auto in_limits = [&](const Plan& p) { return runs(p) && p.keeps_limits(); };
  const auto by_goal = [&](auto counts) {
    switch (job.goal) {
      case Goal::kCheapest:
        return least(plans, counts, Keys::cost);
      case Goal::kFastest:
        return least(plans, counts, Keys::hours);
      case Goal::kFewestGpus:
        return least(plans, counts, [&](const Plan& p) { return keys.gpus(p); });
      case Goal::kBestValue:
        break;
    }
    return least(plans, counts, value);
  };
  if (const auto pick = by_goal(in_limits)) return {pick, false};
  // The nearest miss: of the limits that can not be kept, the target weighs first, then the deadline.
  if (std::ranges::none_of(plans, [&](const Plan& p) { return runs(p) && p.reaches_target; }))
    return {least(plans, runs, [](const Plan& p) { return std::tuple(p.shortfall(), p.cost.p50); }), true};
  // A small chance tells how wide a prediction is, not how near a plan: hardware that nobody measured would be closest.
  constexpr double kNoChance = 0.1;
  const auto chance = [&](const Plan& p) {
    const double in_time = job.limits.deadline ? p.chance_in_time.value_or(0) : 1;
    const double in_budget = job.limits.budget ? p.chance_in_budget.value_or(0) : 1;
    return std::min(in_time, in_budget) < kNoChance ? 0 : in_time * in_budget;
  };
  double best = 0;
  for (const Plan& plan : plans)
    if (runs(plan)) best = std::max(best, chance(plan));
  if (best > 0) return {by_goal([&](const Plan& p) { return runs(p) && chance(p) >= best; }), true};
  if (!job.limits.deadline) return {least(plans, runs, Keys::cost), true};
  const auto in_time = least(plans, [&](const Plan& p) { return runs(p) && p.meets_deadline; }, Keys::cost);
  return {in_time ? in_time : least(plans, runs, Keys::hours), true};
}

}  // namespace

std::optional<int> pick_among(const Job& job, const std::vector<Plan>& plans, bool (*counts)(const Plan&)) {
  const Contends runs(plans);
  return picked(job, plans, [&](const Plan& p) { return runs(p) && counts(p); }).first;
}

Recommendations recommend(const Job& job, const std::vector<Plan>& plans) {
  Recommendations result;
  const Keys keys{job};
  const Contends runs(plans);
  const auto in_time = [&](const Plan& p) { return runs(p) && p.meets_deadline; };
  const auto in_budget = [&](const Plan& p) { return runs(p) && p.meets_budget; };
  const auto in_limits = [&](const Plan& p) { return runs(p) && p.keeps_limits(); };
  result.cheapest = least(plans, runs, Keys::cost);
  result.fastest = least(plans, runs, Keys::hours);
  result.best_value = least(plans, runs, [&](const Plan& p) { return keys.value(p); });
  result.fewest_gpus = least(plans, in_limits, [&](const Plan& p) { return keys.gpus(p); });
  if (job.limits.deadline) result.within_deadline = least(plans, in_time, Keys::cost);
  if (job.limits.budget) result.within_budget = least(plans, in_budget, Keys::hours);
  const auto [pick, missed] = picked(job, plans, runs);
  result.pick = pick;
  result.limits_missed = pick && missed;
  return result;
}

Recommendations recommend(const Job& job, std::vector<Plan>& plans, const Compared& compared) {
  Recommendations result = recommend(job, plans);
  for (Plan& plan : plans) plan.chance_best.reset();
  if (!result.pick || job.goal == Goal::kFewestGpus) return result;
  // A nearest miss is compared with nothing: what it misses least decided.
  if (result.limits_missed) return result;
  const Contends runs(plans);
  std::vector<int> counted;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (runs(plans[i]) && plans[i].keeps_limits()) counted.push_back(static_cast<int>(i));
  const Comparison comparison(job, plans, counted, compared.errors, compared.beside_shared, compared.seed);
  if (comparison.compared().empty()) return result;
  for (const Comparison::One& one : comparison.compared())
    plans[static_cast<std::size_t>(one.plan)].chance_best = one.chance;
  const PlansByGpu common = compared.common != nullptr ? *compared.common : plans_by_gpu(plans);
  const int pick = settled(job, plans, comparison, compared.practice, common);
  if (pick != *result.pick && comparison.find(*result.pick) != nullptr) result.tied_with = result.pick;
  result.pick = pick;
  const double regret = comparison.regret(*comparison.find(pick));
  if (job.goal == Goal::kFastest) result.regret = Regret{std::nullopt, Seconds{regret}};
  else result.regret = Regret{Dollars{regret}, std::nullopt};
  return result;
}

}  // namespace gpuplan
