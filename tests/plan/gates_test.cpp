// Gates in the money: worked by hand, and laws.
#include "plan/billing/gates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// Exact figures on one machine of two GPUs at $10 an hour, billed by the second.
Job gated(const std::string& phases, const std::string& offer = "{gpu: L4, gpus: 2, price: $10/h}",
          const std::string& more = "") {
  return job_of("market: {use: only, offers: [" + offer + "]}\nphases:\n" + phases + more);
}

std::string fixed(const std::string& name, const std::string& time, const std::string& more = "", int gpus = 2) {
  return "  - {name: " + name + ", fixed: {gpus: " + std::to_string(gpus) + ", time: " + time + ", exact: true}" +
         (more.empty() ? "" : ", " + more) + "}\n";
}

Gates gates_of_pick(const Job& job) {
  const Searched searched(job);
  const auto gates = gates_of(searched.job, searched.pick());
  EXPECT_TRUE(gates.has_value());
  return gates.value_or(Gates{});
}

TEST(Gates, StoppingEarlySpendsWhatRanBefore) {
  const Job job = gated(fixed("try", "1 h", "chance_to_pass: 80%") + fixed("train", "3 h", "needs: [try]"));
  const Gates gates = gates_of_pick(job);
  ASSERT_EQ(gates.ends.size(), 1U);
  const EarlyEnd& end = gates.ends[0];
  EXPECT_NEAR(end.chance, 0.2, 1e-12);
  EXPECT_NEAR(end.hours.p50 / units::hour, 1, 1e-6);
  EXPECT_EQ(end.hours.p10, end.hours.p90) << "exact figures";
  EXPECT_NEAR(end.cost.p50.value, 10, 0.01);
  EXPECT_EQ(end.not_run, std::vector<int>{1});
  EXPECT_NEAR(gates.chance, 0.8, 1e-12);
  EXPECT_NEAR(gates.expected_hours / units::hour, 0.8 * 4 + 0.2 * 1, 1e-6);
  EXPECT_NEAR(gates.expected_cost.value, 0.8 * 40 + 0.2 * 10, 0.01);
  EXPECT_NEAR(gates.saved.value, 6, 0.01);
}

TEST(Gates, WhatDoesNotNeedTheGateRunsAllTheSame) {
  const Job job = gated(fixed("try", "1 h", "chance_to_pass: 50%", 1) + fixed("beside", "2 h", "", 1) +
                        fixed("after", "1 h", "needs: [try]", 1) + fixed("last", "4 h", "needs: [after, beside]"));
  const Gates gates = gates_of_pick(job);
  ASSERT_EQ(gates.ends.size(), 1U);
  EXPECT_EQ(gates.ends[0].not_run, (std::vector<int>{2, 3})) << "directly or not";
  EXPECT_NEAR(gates.ends[0].hours.p50 / units::hour, 2, 1e-6);
  EXPECT_NEAR(gates.ends[0].cost.p50.value, 20, 0.01) << "the machine is held until the other phase ends";
}

TEST(Gates, ASecondGateIsReachedOnlyThroughTheFirst) {
  const Job job = gated(fixed("a", "1 h", "chance_to_pass: 50%") +
                        fixed("b", "1 h", "needs: [a], chance_to_pass: 50%") + fixed("c", "1 h", "needs: [b]"));
  const Gates gates = gates_of_pick(job);
  ASSERT_EQ(gates.ends.size(), 2U);
  EXPECT_NEAR(gates.ends[0].chance, 0.5, 1e-12);
  EXPECT_NEAR(gates.ends[1].chance, 0.25, 1e-12);
  EXPECT_NEAR(gates.ends[1].cost.p50.value, 20, 0.01);
  EXPECT_NEAR(gates.chance, 0.25, 1e-12);
  EXPECT_NEAR(gates.expected_cost.value, 0.5 * 10 + 0.25 * 20 + 0.25 * 30, 0.01);
}

TEST(Gates, ManyGatesAreDrawn) {
  // A chain of 14: the k-th hour is reached with a chance of 0.9^k.
  std::string phases = fixed("p0", "1 h", "chance_to_pass: 90%");
  for (int i = 1; i < 14; ++i)
    phases += fixed("p" + std::to_string(i), "1 h", "needs: [p" + std::to_string(i - 1) + "], chance_to_pass: 90%");
  double by_hand = 0;
  double square = 0;
  for (int k = 0; k < 14; ++k) {
    const double reached = math::pow(0.9, k);
    by_hand += reached * 10;
    square += reached * 10 * 10 * (2 * k + 1);  // E[n^2] = sum of (2k + 1) P(n > k)
  }
  const double sigma = std::sqrt((square - by_hand * by_hand) / 4096);
  const Gates gates = gates_of_pick(gated(phases));
  EXPECT_NEAR(gates.expected_cost.value, by_hand, 4 * sigma);
  EXPECT_NEAR(gates.chance, math::pow(0.9, 14), 1e-9);
}

TEST(Gates, WholeBlocksArePaidWhereTheJobStops) {
  const std::string blocks = "{gpu: L4, gpus: 2, price: $10/h, billing: {increment: 1 h}}";
  const Gates gates = gates_of_pick(
      gated(fixed("try", "90 min", "chance_to_pass: 50%") + fixed("train", "150 min", "needs: [try]"), blocks));
  EXPECT_NEAR(gates.ends[0].cost.p50.value, 20, 0.01) << "two hours of four";
  const Gates none = gates_of_pick(
      gated(fixed("try", "20 min", "chance_to_pass: 50%") + fixed("train", "30 min", "needs: [try]"), blocks));
  EXPECT_NEAR(none.saved.value, 0, 0.01) << "the hour is paid for either way";
}

TEST(Gates, RangesAndMeansAreOfWholeBlocks) {
  const std::string blocks = "{gpu: L4, gpus: 2, price: $10/h, billing: {increment: 1 h}}";
  const auto stops = [&](const std::string& time) {
    return gates_of_pick(gated("  - {name: try, fixed: {gpus: 2, time: " + time +
                                   "}, chance_to_pass: 50%}\n  - {name: train, needs: [try], fixed: {gpus: 2, time: 8 "
                                   "h, exact: true}}\n",
                               blocks))
        .ends[0]
        .cost;
  };
  const Outcome<Dollars> within = stops("130-170 min");
  EXPECT_NEAR(within.p10.value, 30, 0.01) << "three hours in any case";
  EXPECT_NEAR(within.p50.value, 30, 0.01);
  EXPECT_NEAR(within.p90.value, 30, 0.01);
  const Outcome<Dollars> across = stops("100-200 min");
  EXPECT_NEAR(across.p10.value, 20, 0.01);
  EXPECT_NEAR(across.p50.value, 30, 0.01);
  EXPECT_NEAR(across.p90.value, 40, 0.01);
}

TEST(Gates, TheBufferIsInside) {
  const Gates gates =
      gates_of_pick(gated(fixed("try", "1 h", "chance_to_pass: 80%") + fixed("train", "3 h", "needs: [try]"),
                          "{gpu: L4, gpus: 2, price: $10/h}", "buffer: 50%\n"));
  EXPECT_NEAR(gates.ends[0].hours.p50 / units::hour, 1.5, 1e-6);
  EXPECT_NEAR(gates.ends[0].cost.p50.value, 15, 0.01);
}

TEST(Gates, RangesAreThoseOfThePhasesThatRun) {
  const std::string phases =
      "  - {name: try, fixed: {gpus: 2, time: 30-60 min}, chance_to_pass: 80%}\n"
      "  - {name: train, needs: [try], fixed: {gpus: 2, time: 2-4 h}}\n";
  const Searched searched(gated(phases));
  const auto gates = gates_of(searched.job, searched.pick());
  ASSERT_TRUE(gates.has_value());
  EXPECT_NEAR(gates->ends[0].hours.p10 / units::minute, 30, 0.2);
  EXPECT_NEAR(gates->ends[0].hours.p90 / units::minute, 60, 0.4);
  EXPECT_NEAR(gates->ends[0].cost.p90 / gates->ends[0].cost.p10, 2, 0.02) << "the price is exact";
}

TEST(Gates, NothingIsSaidOfSurePhases) {
  const Searched searched(gated(fixed("try", "1 h", "chance_to_pass: 100%") + fixed("train", "3 h", "needs: [try]")));
  EXPECT_FALSE(gates_of(searched.job, searched.pick()).has_value());
}

TEST(Gates, LawsHoldForEveryPlanOfTheExample) {
  const Searched searched(example_job("trm-nanochat"));
  for (const Plan& plan : searched.result.plans) {
    const auto gates = gates_of(searched.job, plan);
    ASSERT_TRUE(gates.has_value()) << plan.label;
    const EarlyEnd& end = gates->ends.at(0);
    EXPECT_LT(end.cost.p50, plan.cost.p50) << plan.label;
    EXPECT_LT(end.cost.p10, end.cost.p50) << plan.label;
    EXPECT_LT(end.cost.p50, end.cost.p90) << plan.label;
    EXPECT_LT(gates->expected_cost, plan.cost.mean) << plan.label;
    EXPECT_GT(gates->expected_cost, end.cost.mean) << plan.label;
    EXPECT_NEAR(gates->expected_cost.value + gates->saved.value, plan.cost.mean.value, 1e-6) << plan.label;
    EXPECT_NEAR(end.cost.p50.value, plan.phases[0].cost.p50.value, 1e-9) << plan.label << ": the first phase alone";
    EXPECT_NEAR(end.hours.p50 / plan.phases[0].hours.p50, 1, 1e-9) << plan.label;
  }
}

}  // namespace
}  // namespace gpuplan
