#include "launch/parts/launch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "launch/launched.h"

namespace gpuplan {
namespace {

TEST(LaunchPlan, EveryExampleKeepsItsInvariants) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Launched launched(example_job(name));
    const Launch& launch = *launched.launch;
    ASSERT_EQ(launch.phases.size(), launched.searched.job.phases.size());
    std::set<std::string> slugs;
    for (std::size_t i = 0; i < launch.phases.size(); ++i) {
      const LaunchPhase& laid = launch.phases[i];
      EXPECT_TRUE(slugs.insert(laid.slug).second) << laid.slug;
      for (const int need : laid.needs) EXPECT_LT(need, static_cast<int>(i));
      EXPECT_EQ(laid.nodes * laid.gpus, laid.part->estimate->gpus);
      EXPECT_GE(laid.limit.value, laid.part->hours.p90.value * 1.1 - 1e-6);
      EXPECT_EQ(laid.phase->name,
                launched.searched.job.phases[static_cast<std::size_t>(laid.part->estimate->phase)].name);
    }
    // Every phase that holds machines is in exactly the group that it says.
    std::size_t grouped = 0;
    for (std::size_t g = 0; g < launch.groups.size(); ++g) {
      EXPECT_TRUE(std::ranges::is_sorted(launch.groups[g].phases));
      for (const int phase : launch.groups[g].phases)
        EXPECT_EQ(launch.phases[static_cast<std::size_t>(phase)].group, static_cast<int>(g));
      grouped += launch.groups[g].phases.size();
    }
    EXPECT_EQ(grouped, static_cast<std::size_t>(std::ranges::count_if(
                           launch.phases, [](const LaunchPhase& laid) { return laid.group >= 0; })));
  }
}

TEST(LaunchPlan, NumbersPhasesAndGatesThoseThatOthersWaitFor) {
  const Launched launched(example_job("trm-nanochat"));
  const Launch& launch = *launched.launch;
  EXPECT_EQ(launch.slug, "trm-nanochat");
  ASSERT_EQ(launch.phases.size(), 2U);
  EXPECT_EQ(launch.phases[0].slug, "01-validate");
  EXPECT_EQ(launch.phases[1].slug, "02-produce");
  EXPECT_TRUE(launch.phases[0].gated);
  EXPECT_FALSE(launch.phases[1].gated);  // nothing waits for it
  ASSERT_EQ(launch.groups.size(), 1U);
  EXPECT_EQ(launch.groups[0].slug, "machine-1");
  EXPECT_EQ(launch.groups[0].phases, (std::vector<int>{0, 1}));
}

TEST(LaunchPlan, MachinesThatWaitForEachOtherAreNotHeldBack) {
  // The second machine's last phase needs both: neither machine comes before all of the other's phases.
  const Launched launched(example_job("sft-node"));
  const Launch& launch = *launched.launch;
  ASSERT_EQ(launch.groups.size(), 2U);
  for (const LaunchGroup& group : launch.groups) EXPECT_TRUE(group.needs.empty());
  EXPECT_EQ(launch.phases[0].group, -1);  // data, on the user's own machine
}

TEST(LaunchPlan, RefusesNumbersThatDoNotGoTogether) {
  Launched launched(example_job("trm-nanochat"));
  Plan plan = launched.searched.pick();
  plan.phases[0].estimate.change().strategy.micro_batch += 1;
  const auto batch = lay_out(launched.searched.job, plan, known(), "x", "y");
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().message,
            "phases.validate: a batch of 256 sequences is not 4 ranks x micro-batch 17 x gradient accumulation 4; set "
            "micro and accumulate that divide it");
  plan = launched.searched.pick();
  plan.phases[1].estimate.change().strategy.tp = 3;
  const auto degrees = lay_out(launched.searched.job, plan, known(), "x", "y");
  ASSERT_FALSE(degrees);
  EXPECT_EQ(degrees.error().message, "phases.produce: dp 4 x tp 3 x pp 1 x cp 1 are not 4 GPUs");
}

}  // namespace
}  // namespace gpuplan
