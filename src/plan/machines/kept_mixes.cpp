#include "plan/machines/kept_mixes.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/sorting.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

namespace {

/// Values of an hour above this are asked for by nobody: schedules that only they make the best are not shown.
constexpr DollarsPerSecond kMostValue = 1000 * units::dollar / units::hour;

struct Corner {
  Seconds hours;
  Dollars cost;
  std::optional<std::size_t> mixed;
};

/// A plan on one kind of machines that is as good in everything.
bool takes_the_place(const Plan& one, const Plan& mixed) {
  return one.fit == Fit::kFits && one.reaches_target && one.done() <= mixed.done() && one.cost.p50 <= mixed.cost.p50 &&
         (one.meets_deadline || !mixed.meets_deadline) && (one.meets_budget || !mixed.meets_budget);
}

/// What would be recommended for any goal, and within the limits.
void keep_answers(const Job& job, const std::vector<Plan>& mixed, std::vector<bool>& kept) {
  const Recommendations best = recommend(job, mixed);
  for (const auto& position : {best.cheapest, best.fastest, best.best_value, best.fewest_gpus, best.within_deadline,
                               best.within_budget, best.pick})
    if (position) kept[static_cast<std::size_t>(*position)] = true;
}

/// What is best at some value of an hour: the corners of the lower convex hull of all plans. What nothing on the
/// frontier uses is no corner, and may be on the market or not.
void keep_corners(const std::vector<Plan>& plans, const std::vector<Plan>& mixed, std::vector<bool>& kept) {
  std::vector<Corner> all;
  for (const Plan& plan : plans)
    if (plan.fit == Fit::kFits && plan.reaches_target) all.push_back({plan.done(), plan.cost.p50, std::nullopt});
  for (std::size_t i = 0; i < mixed.size(); ++i) all.push_back({mixed[i].done(), mixed[i].cost.p50, i});
  // nullopt first: of ties the plan on one kind of machines.
  sort_stably(all, {}, [](const Corner& c) { return std::tuple(c.hours, c.cost, c.mixed); });
  std::vector<Corner> hull;
  const auto slope = [](const Corner& a, const Corner& b) { return (a.cost - b.cost) / (b.hours - a.hours); };
  for (const Corner& next : all) {
    if (!hull.empty() && next.cost >= hull.back().cost) continue;
    while (hull.size() >= 2 && slope(hull[hull.size() - 2], hull.back()) <= slope(hull.back(), next)) hull.pop_back();
    hull.push_back(next);
  }
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const bool wanted = i + 1 == hull.size() || slope(hull[i], hull[i + 1]) <= kMostValue;
    if (hull[i].mixed && wanted) kept[*hull[i].mixed] = true;
  }
}

}  // namespace

std::vector<bool> kept_mixes(const Job& job, const std::vector<Plan>& plans, const std::vector<Plan>& mixed,
                             const std::vector<std::size_t>& simpler) {
  std::vector<bool> kept(mixed.size(), false);
  keep_answers(job, mixed, kept);
  for (const std::size_t position : simpler) kept[position] = true;
  keep_corners(plans, mixed, kept);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    kept[i] = kept[i] && std::ranges::none_of(plans, [&](const Plan& plan) { return takes_the_place(plan, mixed[i]); });
  return kept;
}

}  // namespace gpuplan
