// For each thing that may matter most, the plan to take: the rules of the recommendation, over examples and goals.
#include "plan/ranking/decisions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/ranking/recommendation.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

constexpr Goal kGoals[] = {Goal::kBestValue, Goal::kCheapest, Goal::kFastest, Goal::kFewestGpus};

std::optional<int> plan_for(const std::vector<Decision>& decisions, Priority priority) {
  const auto found = std::ranges::find(decisions, priority, &Decision::priority);
  return found == decisions.end() ? std::nullopt : found->plan;
}

TEST(Decisions, AreTheRecommendationsAndHoldThePick) {
  for (const char* name : kExamples) {
    for (const Goal goal : kGoals) {
      Job job = example_job(name);
      job.goal = goal;
      const Searched searched(std::move(job));
      const auto& plans = searched.result.plans;
      const Recommendations& rules = searched.result.recommendations;
      if (!rules.pick) continue;
      const auto decisions = decisions_of(searched.job, plans, rules, compared_of(searched));
      EXPECT_EQ(plan_for(decisions, Priority::kCheapest), rules.cheapest) << name;
      EXPECT_EQ(plan_for(decisions, Priority::kBestValue), rules.best_value) << name;
      EXPECT_EQ(plan_for(decisions, Priority::kFastest), rules.fastest) << name;
      EXPECT_TRUE(std::ranges::find(decisions, rules.pick, &Decision::plan) != decisions.end())
          << name << ": the pick is one of them";
      // What is asked for beside, as the recommendation would choose among such plans alone.
      std::vector<Plan> ones;
      for (const Plan& plan : plans)
        if (plan.gpus_at_once() == 1) ones.push_back(plan);
      const auto one = plan_for(decisions, Priority::kOneGpu);
      if (!one) continue;
      const Plan& chosen = plans[static_cast<std::size_t>(*one)];
      const Plan& alone = ones[static_cast<std::size_t>(*recommend(searched.job, ones, compared_of(searched)).pick)];
      EXPECT_EQ(chosen.id, alone.id) << name;
    }
  }
}

TEST(Decisions, OneGpuKeepsTheLimitsWhereAnyDoes) {
  Job job = example_job("latentwire");
  job.goal = Goal::kBestValue;
  const Searched searched(std::move(job));
  const auto decisions =
      decisions_of(searched.job, searched.result.plans, searched.result.recommendations, compared_of(searched));
  const auto one = plan_for(decisions, Priority::kOneGpu);
  ASSERT_TRUE(one);
  EXPECT_TRUE(searched.result.plans[static_cast<std::size_t>(*one)].keeps_limits());
}

TEST(Decisions, MachinesSideBySideAreCountedTogether) {
  const Searched searched(example_job("sft-node"));
  for (const Plan& plan : searched.result.plans) EXPECT_EQ(plan.gpus_at_once(), plan.at_once * plan.gpus) << plan.label;
}

}  // namespace
}  // namespace gpuplan
