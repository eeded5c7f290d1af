// Pools with a queue: each phase is a job of its own, which waits and has its own time limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "launch/to/launchers.h"
#include "launch/work/work.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

const std::string kPhases =
    "phases:\n  - {name: a, fixed: {gpus: 8, time: 2 h, exact: true}}\n"
    "  - {name: b, needs: [a], fixed: {gpus: 1, time: 3 h, exact: true}}\n"
    "  - {name: c, needs: [b], fixed: {gpus: 4, time: 1 h, exact: true}}\n";

Job job_on(const std::string& pool, const std::string& more = "", const std::string& phases = kPhases) {
  return job_of("market: {use: only, pools: [{name: big, gpu: H100 SXM, gpus: 8, price: $2/h" + pool + "}]}\n" + more +
                phases);
}

TEST(QueuedPools, EveryJobWaits) {
  const Searched found(job_on(", wait: 3 h, max_time: 4 h, partition: gpu"));
  for (const Plan& plan : found.result.plans) {
    EXPECT_EQ(plan.leases.size(), 3U) << plan.label;
    EXPECT_EQ(plan.wait.p50, 9 * units::hour) << plan.label;
    EXPECT_EQ(plan.hours.p50, 6 * units::hour) << plan.label;
    for (const Lease& lease : plan.leases) EXPECT_LE(lease.to - lease.from, 4 * units::hour) << plan.label;
  }
  // 8 GPUs for 2 h, one for 3 h and four for 1 h.
  EXPECT_NEAR(found.pick().cost.p50.value, 2 * (16 + 3 + 4), 0.01);
}

TEST(QueuedPools, ADeadlineCountsAllWaits) {
  const std::string pool = ", wait: 3 h, max_time: 4 h";
  const Searched late(job_on(pool, "limits: {deadline: 10 h}\n"));
  EXPECT_TRUE(late.result.recommendations.limits_missed);
  const Searched there(job_on(pool, "limits: {deadline: 16 h}\n"));
  EXPECT_FALSE(there.result.recommendations.limits_missed);
}

/// How often fast machines behind a queue are the best, beside slower ones without one that cost something.
double chance_behind(const std::string& wait) {
  const Searched found(job_of("market: {use: only, pools: [{name: queued, gpu: A100 SXM 80GB, gpus: 8, wait: " + wait +
                              "}, {name: free, gpu: L40S, gpus: 8, price: $0.40/h}]}\n"
                              "phases: [{name: a, train: {model: Mistral-7B-v0.3, data: {tokens: 300M}, sequence: "
                              "4096, batch: {tokens: 1M}}}]\n"));
  double most = 0;
  for (const Plan& plan : found.result.plans)
    if (plan.wait.p50 > Seconds{}) most = std::max(most, plan.chance_best.value_or(0));
  return most;
}

TEST(QueuedPools, AWaitOfManyLengthsIsNoSureThing) {
  EXPECT_GT(chance_behind("4 h"), 0.8);
  EXPECT_GT(chance_behind("4 h"), chance_behind("1-16 h") + 0.1);
  EXPECT_LT(chance_behind("14 h"), 0.2);
}

TEST(QueuedPools, AHoldBeyondTheLimitIsNoPlan) {
  const Searched held(job_on(", max_time: 4 h", "schedule: keep\n"), Finds::kPerhapsNothing);
  EXPECT_TRUE(held.result.plans.empty());
  EXPECT_GT(held.result.tally.rejected[static_cast<std::size_t>(Misfit::kTimeLimit)], 0);
  const Searched longer(job_on(", max_time: 7 h", "schedule: keep\n"));
  EXPECT_EQ(longer.pick().leases.size(), 1U);
}

TEST(QueuedPools, PhasesSideBySideShareMachines) {
  const Searched found(job_on(", wait: 1 h", "",
                              "phases:\n  - {name: a, fixed: {gpus: 4, time: 2 h, exact: true}}\n"
                              "  - {name: b, fixed: {gpus: 4, time: 2 h, exact: true}}\n"
                              "  - {name: c, needs: [a, b], fixed: {gpus: 8, time: 1 h, exact: true}}\n"));
  for (const Plan& plan : found.result.plans)
    for (const Lease& lease : plan.leases) EXPECT_LE(lease.gpus, 8);
  EXPECT_EQ(found.pick().hours.p50, 3 * units::hour);
}

TEST(QueuedPools, MachinesWithoutAQueueAreKept) {
  const Searched found(job_on(""));
  EXPECT_EQ(found.pick().wait.p50, Seconds{});
  EXPECT_TRUE(std::ranges::any_of(found.result.plans, [](const Plan& plan) { return plan.leases.size() == 1; }));
}

TEST(QueuedPools, TheLauncherIsTheClusters) {
  EXPECT_EQ(launcher_for(Searched(job_on(", wait: 3 h, partition: gpu")).pick()), "slurm");
  EXPECT_EQ(launcher_for(Searched(job_on("")).pick()), "slurm");
  EXPECT_EQ(launcher_for(Searched(job_on(", queue: team")).pick()), "kubernetes");
  EXPECT_EQ(launcher_for(Searched(job_of("market: {use: only, own: [{name: box, gpu: RTX 4090, gpus: 4}]}\n"
                                         "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n"))
                             .pick()),
            "bash");
}

TEST(QueuedPools, ABoxIsNoPoolOfSlurm) {
  const Searched found(
      job_of("market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 8}]}\n"
             "phases: [{name: a, fixed: {gpus: 1, time: 1 h}, command: run}]\n"));
  const auto laid = lay_out(found.job, found.pick(), known(), "it", "gpuplan launch");
  ASSERT_TRUE(laid);
  const auto set = slurm_launcher(*laid);
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("no pool of a Slurm cluster"), std::string::npos) << set.error().message;
  EXPECT_TRUE(bash_launcher(*laid));
}

}  // namespace
}  // namespace gpuplan
