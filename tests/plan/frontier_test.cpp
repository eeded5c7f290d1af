#include "plan/ranking/frontier.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

Plan plan(double hours, double cost, int gpus = 1, Fit fit = Fit::kFits) {
  Plan p;
  p.label = std::to_string(hours) + " h $" + std::to_string(cost);
  p.hours = {Seconds{hours * 3600 * 0.9}, Seconds{hours * 3600}, Seconds{hours * 3600 * 1.1}, Seconds{hours * 3600}};
  p.cost = {Dollars{cost * 0.9}, Dollars{cost}, Dollars{cost * 1.1}, Dollars{cost}};
  p.gpus = gpus;
  p.billed_gpu_hours = hours * gpus;
  p.fit = fit;
  return p;
}

/// The definition: no other plan is at least as good in both and better in one.
bool beaten(const Plan& p, const std::vector<Plan>& all) {
  return std::ranges::any_of(all, [&](const Plan& q) {
    return q.hours.p50 <= p.hours.p50 && q.cost.p50 <= p.cost.p50 &&
           (q.hours.p50 < p.hours.p50 || q.cost.p50 < p.cost.p50);
  });
}

RC_GTEST_PROP(Frontier, IsItsDefinition, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 12), rc::gen::inRange(0, 12)));
  std::vector<Plan> plans;
  for (const auto& [hours, cost] : pairs) plans.push_back(plan(hours, cost));
  mark_frontier(plans);
  RC_ASSERT(plans.size() == pairs.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& p = plans[i];
    if (p.on_frontier) {
      RC_ASSERT(!beaten(p, plans));
      RC_ASSERT(p.dominated_by.empty());
      continue;
    }
    // Beaten, or an exact tie of a frontier plan.
    RC_ASSERT(!p.dominated_by.empty());
    for (const int by : p.dominated_by) {
      const Plan& q = plans[static_cast<std::size_t>(by)];
      RC_ASSERT(q.on_frontier);
      RC_ASSERT(q.hours.p50 <= p.hours.p50 && q.cost.p50 <= p.cost.p50);
    }
  }
  const auto twice = [&](const Plan& p) {
    return std::ranges::count_if(
        plans, [&](const Plan& q) { return q.on_frontier && q.hours.p50 == p.hours.p50 && q.cost.p50 == p.cost.p50; });
  };
  for (const Plan& p : plans)
    if (!beaten(p, plans)) RC_ASSERT(twice(p) == 1);
}

RC_GTEST_PROP(Frontier, ValueRangesNameTheLeastTotal, ()) {
  const auto pairs = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 40), rc::gen::inRange(0, 40))));
  std::vector<Plan> plans;
  for (const auto& [hours, cost] : pairs) plans.push_back(plan(hours, cost));
  // A deadline that the slow ones miss; where all do, all count.
  const auto deadline = *rc::gen::inRange(1, 60);
  for (Plan& p : plans) p.meets_deadline = p.hours.p50 <= deadline * units::hour;
  mark_frontier(plans);
  const bool limited = within_limits(plans);
  const auto ranges = value_ranges(plans);
  RC_ASSERT(!ranges.empty());
  RC_ASSERT(!ranges.back().to);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) RC_ASSERT(ranges[i].from == *ranges[i - 1].to);
    const double high = ranges[i].to ? ranges[i].to->value : ranges[i].from.value + 1;
    const double value = (ranges[i].from.value + high) / 2;
    const auto total = [&](const Plan& p) { return p.cost.p50.value + value * p.hours.p50.value; };
    const double chosen = total(plans[static_cast<std::size_t>(ranges[i].plan)]);
    for (const Plan& p : plans)
      if (!limited || p.keeps_limits()) RC_ASSERT(chosen <= total(p) + 1e-9);
    RC_ASSERT(!limited || plans[static_cast<std::size_t>(ranges[i].plan)].keeps_limits());
  }
}

TEST(Frontier, OrderDominatorsAndPriceOfSavedTime) {
  std::vector<Plan> plans = {plan(1, 20), plan(3, 5), plan(4, 6), plan(2, 10), plan(3.5, 30)};
  mark_frontier(plans);
  ASSERT_EQ(plans[0].cost.p50, Dollars{5});
  ASSERT_EQ(plans[1].cost.p50, Dollars{10});
  ASSERT_EQ(plans[2].cost.p50, Dollars{20});
  EXPECT_FALSE(plans[0].price_of_time_saved);
  EXPECT_NEAR(plans[1].price_of_time_saved->value * 3600, 5, 1e-12);
  EXPECT_NEAR(plans[2].price_of_time_saved->value * 3600, 10, 1e-12);
  EXPECT_EQ(plans[3].cost.p50, Dollars{6}) << "nearest to the frontier first";
  EXPECT_EQ(plans[3].dominated_by, (std::vector<int>{0}));
  EXPECT_EQ(plans[4].dominated_by, (std::vector<int>{2, 1, 0})) << "nearest in cost first";
}

TEST(Frontier, TightPlansStandOutsideWhileAnythingFits) {
  std::vector<Plan> plans = {plan(1, 1, 1, Fit::kTight), plan(2, 2)};
  mark_frontier(plans);
  EXPECT_EQ(plans[0].cost.p50, Dollars{2});
  EXPECT_TRUE(plans[0].on_frontier);
  EXPECT_FALSE(plans[1].on_frontier);
  std::vector<Plan> only_tight = {plan(1, 1, 1, Fit::kTight)};
  mark_frontier(only_tight);
  EXPECT_TRUE(only_tight[0].on_frontier);
}

TEST(Frontier, OverlappingNeighboursAreTooCloseToCall) {
  std::vector<Plan> plans = {plan(3, 5), plan(2.9, 5.2), plan(1, 20)};
  mark_frontier(plans);
  EXPECT_FALSE(plans[0].close_to_previous);
  EXPECT_TRUE(plans[1].close_to_previous);
  EXPECT_FALSE(plans[2].close_to_previous);
}

TEST(Recommendation, Goals) {
  std::vector<Plan> plans = {plan(1, 20, 8), plan(3, 5, 4), plan(2, 10, 2)};
  mark_frontier(plans);  // $5 (0), $10 (1), $20 (2)
  Job job;
  job.value_of_time = DollarsPerSecond{7.0 / 3600};  // totals: 5 + 21 = 26, 10 + 14 = 24, 20 + 7 = 27
  const Recommendations r = recommend(job, plans);
  EXPECT_EQ(r.cheapest, 0);
  EXPECT_EQ(r.fastest, 2);
  EXPECT_EQ(r.best_value, 1);
  EXPECT_EQ(r.fewest_gpus, 1);
  EXPECT_EQ(r.pick, 1);
  EXPECT_FALSE(r.within_deadline);
  EXPECT_FALSE(r.limits_missed);
}

TEST(Recommendation, LimitsComeBeforeTheGoal) {
  std::vector<Plan> plans = {plan(1, 20), plan(3, 5)};
  mark_frontier(plans);
  Job job;
  job.goal = Goal::kCheapest;
  job.limits.deadline = Seconds{2 * 3600};
  plans[0].meets_deadline = false;  // $5, 3 h
  EXPECT_EQ(recommend(job, plans).pick, 1);
  plans[1].meets_deadline = false;
  const Recommendations missed = recommend(job, plans);
  EXPECT_TRUE(missed.limits_missed);
  EXPECT_EQ(missed.pick, 1) << "nearest miss of a deadline: the fastest";
  EXPECT_FALSE(missed.within_deadline);
}

TEST(Recommendation, TheNearestMissAsksForTheLeastMore) {
  std::vector<Plan> plans = {plan(128, 9), plan(4.5, 9.1), plan(4, 9.2), plan(1, 40)};
  mark_frontier(plans);
  Job job;
  job.limits.budget = Dollars{8};
  const double chances[] = {0.31, 0.17, 0.17, 0};  // in the order of cost
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].meets_budget = false;
    plans[i].chance_in_budget = chances[i];
  }
  const auto dollars = [&] { return plans[static_cast<std::size_t>(*recommend(job, plans).pick)].cost.p50.value; };
  job.goal = Goal::kCheapest;
  EXPECT_EQ(dollars(), 9) << "of nearly equal ones the goal's";
  job.goal = Goal::kFastest;
  EXPECT_EQ(dollars(), 9.2);
  // A wide range has a chance, and is no nearer for it.
  plans[2].cost.p90 = Dollars{20};
  plans[2].chance_in_budget = 0.4;
  EXPECT_EQ(dollars(), 9.1);
  // What is likely to keep the limit comes before what asks for less beyond it.
  plans[2].chance_in_budget = 0.6;
  EXPECT_EQ(dollars(), 9.2);
  // A chance that differs by a sample or two decides nothing: of these the goal does.
  plans[1].chance_in_budget = 0.595;
  job.goal = Goal::kCheapest;
  EXPECT_EQ(dollars(), 9.1);
  plans[1].chance_in_budget = 0.55;
  EXPECT_EQ(dollars(), 9.2);
  plans[1].chance_in_budget = 0.17;
  job.goal = Goal::kFastest;
  plans[2].cost.p90 = plans[2].cost.p50 * 1.1;
  plans[2].chance_in_budget = 0.17;
  // Both limits: a plan that surely keeps one and never the other is no near miss.
  job.limits.deadline = Seconds{5 * 3600};
  for (std::size_t i = 0; i < plans.size(); ++i) plans[i].chance_in_time = i == 0 ? 0 : i == 3 ? 1 : 0.5;
  plans[3].meets_deadline = true;
  EXPECT_EQ(dollars(), 9.2);
  // Without any chance: the cheapest in time, and of a budget alone the cheapest.
  for (Plan& one : plans) one.chance_in_budget = 0;
  for (std::size_t i = 0; i < 3; ++i) plans[i].meets_deadline = false;
  EXPECT_EQ(dollars(), 40);
  job.limits.deadline.reset();
  job.goal = Goal::kCheapest;
  for (Plan& one : plans) one.chance_in_time.reset();
  EXPECT_EQ(dollars(), 9);
}

}  // namespace
}  // namespace gpuplan
