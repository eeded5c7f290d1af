#include "plan/ranking/recommendation.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "plan/ranking/ranking.h"

namespace gpuplan {

namespace {

/// Position of the plan with the least key among those that `counts`; ties by GPU-hours, then list order.
template <class Counts, class Key>
std::optional<int> least(const std::vector<Plan>& plans, Counts counts, Key key) {
  using Rank = std::tuple<decltype(key(plans.front())), double>;
  std::optional<int> best;
  std::optional<Rank> lowest;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!counts(plans[i])) continue;
    Rank rank(key(plans[i]), plans[i].billed_gpu_hours);
    if (lowest && !(rank < *lowest)) continue;
    lowest = std::move(rank);
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

/// By what factor the limits would have to be raised for a plan to keep them in nine of ten cases; 1: it does.
double beyond(const Job& job, const Plan& plan) {
  double factor = 1;
  if (job.limits.deadline) factor = std::max(factor, (plan.hours.p90 + plan.wait.p90) / *job.limits.deadline);
  if (job.limits.budget) factor = std::max(factor, (plan.cost.p90 + job.contingency) / *job.limits.budget);
  return factor;
}

/// The pick among those that `runs`, and whether it misses the limits.
template <class Runs>
std::pair<std::optional<int>, bool> picked(const Job& job, const std::vector<Plan>& plans, Runs runs) {
  const auto in_limits = [&](const Plan& p) { return runs(p) && p.keeps_limits(); };
  const auto cost = [&](const Plan& p) { return goal_key(job, Goal::kCheapest, p); };
  const auto by_goal = [&](auto counts) {
    return least(plans, counts, [&](const Plan& p) { return goal_key(job, p); });
  };
  if (const auto pick = by_goal(in_limits)) return {pick, false};
  // The nearest miss: of the limits that can not be kept, the target weighs first, then the deadline.
  if (std::ranges::none_of(plans, [&](const Plan& p) { return runs(p) && p.reaches_target; }))
    return {least(plans, runs, [](const Plan& p) { return std::tuple(p.shortfall(), p.cost.p50); }), true};
  constexpr double kLikely = 0.5, kNoChance = 0.1;
  const auto chances = [&](const Plan& p) {
    return std::pair(job.limits.deadline ? p.chance_in_time.value_or(0) : 1,
                     job.limits.budget ? p.chance_in_budget.value_or(0) : 1);
  };
  // What is likely to keep the limits comes first, by its chance.
  const auto likely = [&](const Plan& p) {
    const auto [in_time, in_budget] = chances(p);
    return std::min(in_time, in_budget) < kLikely ? 0 : in_time * in_budget;
  };
  double best = 0;
  for (const Plan& plan : plans)
    if (runs(plan)) best = std::max(best, likely(plan));
  // Chances are counted in samples: what differs by a few of them is told apart by the goal.
  constexpr double kSameChance = 0.02;
  const auto as_likely = [&](const Plan& p) { return runs(p) && likely(p) > 0 && likely(p) >= best - kSameChance; };
  if (best > 0) return {by_goal(as_likely), true};
  // A small chance tells how wide a prediction is, not how near a plan: hardware that nobody measured would be closest.
  // Of plans that may keep both limits, the one for which they would have to be raised least; nearly as little decides
  // nothing.
  constexpr double kNearly = 1.1;
  const bool both = job.limits.deadline && job.limits.budget;
  const auto comes_near = [&](const Plan& p) {
    const auto [in_time, in_budget] = chances(p);
    return runs(p) && (!both || std::min(in_time, in_budget) >= kNoChance);
  };
  double least_beyond = std::numeric_limits<double>::infinity();
  for (const Plan& plan : plans)
    if (comes_near(plan)) least_beyond = std::min(least_beyond, beyond(job, plan));
  if (const auto near =
          by_goal([&](const Plan& p) { return comes_near(p) && beyond(job, p) <= least_beyond * kNearly; }))
    return {near, true};
  const auto in_time = least(plans, [&](const Plan& p) { return runs(p) && p.meets_deadline; }, cost);
  const auto hours = [&](const Plan& p) { return goal_key(job, Goal::kFastest, p); };
  return {in_time ? in_time : least(plans, runs, hours), true};
}

}  // namespace

std::optional<int> pick_among(const Job& job, const std::vector<Plan>& plans, bool (*counts)(const Plan&)) {
  const Contends runs(plans);
  return picked(job, plans, [&](const Plan& p) { return runs(p) && counts(p); }).first;
}

Recommendations recommend(const Job& job, const std::vector<Plan>& plans) {
  Recommendations result;
  const Contends runs(plans);
  const auto by = [&](Goal goal) { return [&job, goal](const Plan& p) { return goal_key(job, goal, p); }; };
  const auto in_time = [&](const Plan& p) { return runs(p) && p.meets_deadline; };
  const auto in_budget = [&](const Plan& p) { return runs(p) && p.meets_budget; };
  const auto in_limits = [&](const Plan& p) { return runs(p) && p.keeps_limits(); };
  result.cheapest = least(plans, runs, by(Goal::kCheapest));
  result.fastest = least(plans, runs, by(Goal::kFastest));
  result.best_value = least(plans, runs, by(Goal::kBestValue));
  result.fewest_gpus = least(plans, in_limits, by(Goal::kFewestGpus));
  if (job.limits.deadline) result.within_deadline = least(plans, in_time, by(Goal::kCheapest));
  if (job.limits.budget) result.within_budget = least(plans, in_budget, by(Goal::kFastest));
  const auto [pick, missed] = picked(job, plans, runs);
  result.pick = pick;
  result.limits_missed = pick && missed;
  return result;
}

int pick_of(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions,
            const Compared& compared) {
  const Comparison comparison(job, plans, positions, compared.errors, compared.beside_shared, compared.seed,
                              tie_share(job, compared.practice));
  if (comparison.compared().empty())
    return *std::ranges::min_element(positions, {},
                                     [&](int i) { return goal_key(job, plans[static_cast<std::size_t>(i)]); });
  return settled(job, plans, comparison, compared.practice, compared.common);
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
  const Comparison comparison(job, plans, counted, compared.errors, compared.beside_shared, compared.seed,
                              compared.chances ? Comparison::kAll : tie_share(job, compared.practice));
  if (comparison.compared().empty()) return result;
  const int pick = settled(job, plans, comparison, compared.practice, compared.common);
  if (pick != *result.pick && comparison.find(*result.pick) != nullptr) result.tied_with = result.pick;
  result.pick = pick;
  if (!compared.chances) return result;
  // Of one plan alone there is nothing to tell: it is compared with none.
  if (plans.size() > 1)
    for (const Comparison::One& one : comparison.compared())
      plans[static_cast<std::size_t>(one.plan)].chance_best = one.chance;
  const double regret = comparison.regret(*comparison.find(pick));
  if (job.goal == Goal::kFastest) result.regret = Regret{std::nullopt, Seconds{regret}};
  else result.regret = Regret{Dollars{regret}, std::nullopt};
  return result;
}

}  // namespace gpuplan
