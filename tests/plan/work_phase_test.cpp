// Phases of items that pass stages on workers, and contingency: worked by hand.
#include <gtest/gtest.h>

#include <string>

#include "plan/searched.h"

namespace gpuplan {
namespace {

/// The verification of examples/sft-node.yaml alone, on a machine of eight GPUs at $32 an hour.
Plan plan_of(const std::string& work, const std::string& more = "") {
  return Searched(job_of("market: {use: only, offers: [{gpu: A100 SXM 40GB, gpus: 8, price: $32/h}]}\n"
                         "phases: [{name: verify, work: {" +
                         work + "}}]\n" + more))
      .pick();
}

constexpr const char* kStages = "each: {syntax: 0.1 s, compile: 2 s, tiny_run: 1 s, full_run: 3 s, timing: 10 s}";

TEST(WorkPhase, TheLastWorkerDecides) {
  const std::string exact = std::string(kStages) + ", exact: true, gpus: 2";
  // 200 items of 16.1 s over 2 workers: 100 x 16.1 s.
  EXPECT_NEAR(plan_of("items: 200, workers: 2, " + exact).hours.p50 / units::minute, 1610 / 60.0, 1e-6);
  EXPECT_NEAR(plan_of("items: 200, workers: 8, " + exact).hours.p50 / units::minute, 25 * 16.1 / 60, 0.01)
      << "whole seconds";
  EXPECT_NEAR(plan_of("items: 201, workers: 2, " + exact).hours.p50 / units::second, 101 * 16.1, 0.5) << "whole items";
  EXPECT_NEAR(plan_of("items: 3, workers: 8, " + exact).hours.p50 / units::second, 16.1, 0.5);
  const Plan plan = plan_of("items: 200, workers: 2, " + exact);
  EXPECT_NEAR(plan.cost.p50.value, 1610 / 3600.0 * 32, 0.01) << "the whole machine is paid for";
  EXPECT_NEAR(plan.gpu_hours, 1610 / 3600.0 * 2, 1e-6);
}

TEST(WorkPhase, ItemsShareTheErrorOfTheirMean) {
  // The range says how well the mean of the items is known: 200 items are as uncertain as one.
  const Plan many = plan_of("items: 200, gpus: 2, workers: 2, each: {run: 10-20 s}");
  const Plan one = plan_of("items: 1, gpus: 2, workers: 2, each: {run: 10-20 s}");
  EXPECT_NEAR(many.hours.p90 / many.hours.p10, 2, 0.01);
  EXPECT_NEAR(one.hours.p90 / one.hours.p10, 2, 0.1) << "whole seconds";
  EXPECT_NEAR(many.hours.p10 / units::second, 1000, 3);
  EXPECT_NEAR(many.hours.p90 / units::second, 2000, 5);
  // A single figure is read as +-20 %, stage by stage, high and low together.
  const Plan stages = plan_of("items: 200, workers: 2, gpus: 2, " + std::string(kStages));
  EXPECT_NEAR(stages.hours.p90 / stages.hours.p50, 1.2, 0.005);
}

TEST(WorkPhase, ContingencyCountsAgainstTheBudgetAndIsNoCost) {
  const std::string work = "items: 200, gpus: 2, workers: 2, exact: true, each: {run: 36 s}";  // an hour: $32
  const Plan within = plan_of(work, "limits: {budget: $53}\ncontingency: $20\n");
  const Plan over = plan_of(work, "limits: {budget: $51}\ncontingency: $20\n");
  EXPECT_NEAR(within.cost.p50.value, 32, 0.01);
  EXPECT_EQ(within.chance_in_budget, 1);
  EXPECT_TRUE(within.meets_budget);
  EXPECT_EQ(over.chance_in_budget, 0);
  EXPECT_FALSE(over.meets_budget);
}

}  // namespace
}  // namespace gpuplan
