// The same machines kept, let go, on demand and as spot: each is what a search of its own gives.
#include "plan/advice/rental_options.h"

#include <gtest/gtest.h>

#include "plan/billing/ledger.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

TEST(RentalOptions, AreWhatSeparateSearchesGive) {
  const Searched base(example_job("sft-node"));
  const auto options = rental_options(base.job, known(), base.pick(), {});
  ASSERT_EQ(options.size(), 4U);
  for (const RentalOption& option : options) {
    Job job = example_job("sft-node");
    job.where.spot = option.spot ? SpotUse::kOnly : SpotUse::kNever;
    job.schedule = option.schedule;
    const Searched alone(std::move(job));
    EXPECT_EQ(option.cost.p50, alone.pick().cost.p50);
    EXPECT_EQ(option.hours.p90, alone.pick().hours.p90);
    EXPECT_EQ(option.billed_gpu_hours, alone.pick().billed_gpu_hours);
  }
  EXPECT_LT(options[1].cost.p50, options[0].cost.p50) << "the machine is let go while somebody works";
  EXPECT_LT(options[2].cost.p50, options[0].cost.p50) << "spot is cheaper";
  EXPECT_LT(options[3].cost.p50, options[2].cost.p50);
  EXPECT_GT(options[3].gpu_hours / options[3].billed_gpu_hours, options[2].gpu_hours / options[2].billed_gpu_hours);
}

TEST(RentalOptions, SpotNeedsAPriceAndARate) {
  Job job = example_job("trm-nanochat");
  const Searched base(std::move(job));
  const auto options = rental_options(base.job, known(), base.pick(), {});
  ASSERT_EQ(options.size(), 2U);
  EXPECT_FALSE(options[1].spot);
  EXPECT_EQ(options[0].cost.p50, options[1].cost.p50) << "nothing to let go";
}

/// Phases that run side by side on machines of their own.
Searched side_by_side() {
  return Searched(
      job_of("phases:\n"
             "  - {name: a, train: {model: Llama-3.1-8B, method: full, data: {samples: 20k, tokens_per_sample: 800}, "
             "sequence: 2048}}\n"
             "  - {name: b, train: {model: Llama-3.1-8B, method: lora, data: {samples: 10k, tokens_per_sample: 800}, "
             "sequence: 2048}}\n"
             "value_of_time: $20/h\n"));
}

TEST(RentalOptions, RentTheSameMachines) {
  const Searched base = side_by_side();
  int several = 0;
  for (const Plan& plan : base.result.plans) {
    if (plan.offer != nullptr || several == 4) continue;
    ++several;
    for (const RentalOption& option : rental_options(base.job, known(), plan, {}))
      for (const Plan& other : base.result.plans)
        if (other.offer != nullptr) {
          EXPECT_FALSE(is_plan(option, other)) << plan.label << " rented as " << other.label;
        }
  }
  EXPECT_EQ(several, 4);
}

TEST(StretchLedger, HoldsNoMachineBesideOthersBeyondItsPhases) {
  const Searched base = side_by_side();
  int several = 0;
  for (const Plan& plan : base.result.plans) {
    if (plan.leases.size() < 2) continue;
    ++several;
    for (const Stretch& line : stretch_ledger(base.job, plan).stretches) {
      const bool idle = line.phases.empty() && !line.leases.empty() && line.cost <= Dollars{};
      EXPECT_TRUE(!idle || line.length().value <= 1 + plan.hours.p50.value * 0.01) << plan.label;  // as medians round
    }
  }
  EXPECT_GE(several, 1);
}

TEST(Plans, OfOnePhaseTakeAsLongAsIt) {
  for (const bool spot : {false, true}) {
    Job job = job_of(
        "phases: [{name: a, train: {model: Llama-3.1-8B, method: full, data: {samples: 50k, tokens_per_sample: 2000}, "
        "sequence: 4096}}]\n"
        "spot: {interruptions: 8%/h}\n");
    job.where.spot = spot ? SpotUse::kOnly : SpotUse::kNever;
    const Searched base(std::move(job));
    ASSERT_FALSE(base.result.plans.empty());
    for (const Plan& plan : base.result.plans) {
      EXPECT_EQ(plan.phases.front().hours.p10, plan.hours.p10) << plan.label;
      EXPECT_EQ(plan.phases.front().hours.p50, plan.hours.p50) << plan.label;
      EXPECT_EQ(plan.phases.front().hours.p90, plan.hours.p90) << plan.label;
    }
  }
}

TEST(StretchLedger, AddsUpToTheBill) {
  for (const char* name : kExamples) {
    for (const Schedule schedule : {Schedule::kKeep, Schedule::kStopWhenIdle, Schedule::kBest}) {
      Job job = example_job(name);
      job.schedule = schedule;
      const Searched searched(std::move(job));
      const Plan& plan = searched.pick();
      const StretchLedger ledger = stretch_ledger(searched.job, plan);
      Dollars cost = ledger.beyond;
      Seconds until{};
      for (const Stretch& line : ledger.stretches) {
        EXPECT_NEAR(line.from.value, until.value, 1e-6) << name << ": no holes";
        until = line.to;
        cost += line.cost;
        EXPECT_GE(line.idle, Dollars{}) << name;
        EXPECT_LE(line.idle, line.cost) << name;
        if (line.leases.empty()) {
          EXPECT_EQ(line.cost, Dollars{}) << name;
        }
      }
      EXPECT_NEAR(cost.value, plan.cost.p50.value, 1e-6) << name;
      EXPECT_GE(ledger.beyond.value, -1e-6 * plan.cost.p50.value - 1e-9) << name;
    }
  }
}

TEST(StretchLedger, WorkedByHand) {
  // Two GPUs at $10 an hour in blocks of an hour: one is used for 90 min, both for 45 min after an hour without work.
  const Searched searched(
      job_of("market: {use: only, offers: [{gpu: L4, gpus: 2, price: $10/h, billing: {increment: 1 h}}]}\n"
             "phases:\n"
             "  - {name: a, fixed: {gpus: 1, time: 90 min, exact: true}}\n"
             "  - {name: wait, needs: [a], cpu: {time: 1 h, exact: true}}\n"
             "  - {name: b, needs: [wait], fixed: {gpus: 2, time: 45 min, exact: true}}\n"
             "schedule: keep\n"));
  const StretchLedger ledger = stretch_ledger(searched.job, searched.pick());
  ASSERT_EQ(ledger.stretches.size(), 3U);
  EXPECT_NEAR(ledger.stretches[0].cost.value, 15, 0.01);
  EXPECT_NEAR(ledger.stretches[0].idle.value, 7.5, 0.01) << "one of two GPUs";
  EXPECT_EQ(ledger.stretches[1].phases, std::vector<int>{1}) << "on the user's own machine";
  EXPECT_EQ(ledger.stretches[1].used, 0);
  EXPECT_NEAR(ledger.stretches[1].idle.value, 10, 0.01);
  EXPECT_NEAR(ledger.stretches[2].cost.value, 7.5, 0.01);
  EXPECT_NEAR(ledger.beyond.value, 7.5, 0.01) << "3.25 h are billed as 4";
  EXPECT_NEAR(ledger.beyond_gpu_hours, 1.5, 0.01);
  EXPECT_NEAR(ledger.held / units::hour, 3.25, 0.01);
}

TEST(Release, MachinesAreLetGoWhileSomebodyWorks) {
  const std::string text =
      "market: {use: only, offers: [{gpu: L4, gpus: 2, price: $10/h}]}\n"
      "phases:\n"
      "  - {name: a, fixed: {gpus: 2, time: 1 h, exact: true}}\n"
      "  - {name: think, needs: [a], fixed: {gpus: 1, time: 4 h, exact: true, human: true}}\n"
      "  - {name: b, needs: [think], fixed: {gpus: 2, time: 1 h, exact: true}}\n";
  const Searched kept(job_of(text + "schedule: keep\n"));
  const Searched best(job_of(text));
  const Searched stopped(job_of(text + "schedule: stop_when_idle\n"));
  EXPECT_NEAR(kept.pick().cost.p50.value, 60, 0.01);
  EXPECT_NEAR(kept.pick().gpu_hours, 4, 1e-6) << "GPUs that wait for somebody are paid for and not used";
  EXPECT_NEAR(kept.pick().billed_gpu_hours, 12, 1e-6);
  EXPECT_NEAR(stretch_ledger(kept.job, kept.pick()).idle.value, 40, 0.01);
  EXPECT_NEAR(best.pick().cost.p50.value, 60, 0.01) << "nobody's GPU is taken away unasked";
  EXPECT_NEAR(stopped.pick().cost.p50.value, 20, 0.01);
  EXPECT_NEAR(stopped.pick().hours.p50 / units::hour, 6, 1e-6);
  EXPECT_NEAR(stopped.pick().gpu_hours, 4, 1e-6);
  bool said = false;
  for (const std::string& line : stopped.result.assumptions)
    said = said || line.find("manual work in think") != std::string::npos;
  EXPECT_TRUE(said);
  const Searched on(job_of(text + "schedule: stop_when_idle\n" + "variants: {x: {phases.think.on: a}}\n"));
  Job stays = on.job;
  stays.phases[1].on = "a";
  const Searched held(std::move(stays));
  EXPECT_NEAR(held.pick().cost.p50.value, 60, 0.01) << "on: the person keeps the machine";
}

}  // namespace
}  // namespace gpuplan
