// GPU-hours by phase: hand-worked, and parts against totals for every example.
#include "plan/billing/ledger.h"

#include <gtest/gtest.h>

#include "plan/searched.h"

namespace gpuplan {
namespace {

/// Exact figures on one machine of 8 GPUs at $32 an hour.
Job ledger_job(const std::string& more) {
  return job_of(
      "market: {use: only, offers: [{gpu: A100 SXM 40GB, gpus: 8, price: $32/h}]}\n"
      "phases:\n"
      "  - {name: a, fixed: {gpus: 8, time: 1 h, exact: true}}\n"
      "  - {name: wait, needs: [a], cpu: {time: 2 h, exact: true}}\n"
      "  - {name: b, needs: [wait], fixed: {gpus: 2, time: 3 h, exact: true}}\n" +
      more);
}

TEST(Ledger, AWholeMachineIsPaidForWhateverIsUsed) {
  const Searched searched(ledger_job("schedule: stop_when_idle\n"));
  const Ledger ledger = ledger_of(searched.job, searched.pick());
  // 8 x 1 + 2 x 3 of 8 x 4.
  EXPECT_NEAR(ledger.total.used, 14, 1e-6);
  EXPECT_NEAR(ledger.total.billed, 32, 1e-6);
  EXPECT_NEAR(ledger.utilisation(), 14.0 / 32, 1e-6);
  EXPECT_NEAR(ledger.phases[0].billed, 8, 1e-6);
  EXPECT_NEAR(ledger.phases[2].used, 6, 1e-6);
  EXPECT_NEAR(ledger.phases[2].billed, 24, 1e-6);
  EXPECT_NEAR(ledger.phases[2].cost.value, 96, 0.01);
  EXPECT_EQ(ledger.phases[1].billed, 0) << "runs on the user's own machine";
  EXPECT_NEAR(ledger.machine_hours, 4, 1e-6);
  EXPECT_EQ(ledger.idle.billed, 0);
}

TEST(Ledger, AKeptMachineIsIdleBetweenPhases) {
  const Searched searched(ledger_job("schedule: keep\n"));
  const Ledger ledger = ledger_of(searched.job, searched.pick());
  EXPECT_NEAR(ledger.total.billed, 48, 1e-6);
  EXPECT_NEAR(ledger.idle.billed, 16, 1e-6);
  EXPECT_NEAR(ledger.idle.cost.value, 64, 0.01);
  EXPECT_NEAR(ledger.subtotal.billed, 32, 1e-6);
  const auto spells = spells_of(searched.pick());
  ASSERT_EQ(spells.size(), 3U);
  EXPECT_TRUE(spells[1].phases.empty());
  EXPECT_NEAR(spells[1].from / units::hour, 1, 1e-6);
  EXPECT_NEAR(spells[1].to / units::hour, 3, 1e-6);
  EXPECT_EQ(spells[2].gpus, 2);
  EXPECT_EQ(peak_gpus(spells), 8);
}

TEST(Ledger, TheBufferIsInsideAndToldBeside) {
  const Searched searched(ledger_job("schedule: stop_when_idle\nbuffer: 50%\n"));
  const Ledger ledger = ledger_of(searched.job, searched.pick());
  EXPECT_NEAR(ledger.subtotal.used, 21, 1e-6);
  EXPECT_NEAR(ledger.buffer.used, 7, 1e-6);
  EXPECT_NEAR(ledger.phases[2].cost.value, 144, 0.01) << "3 h and their buffer at $32 an hour";
  EXPECT_NEAR(ledger.total.used, 21, 1e-6);
  EXPECT_NEAR(ledger.buffer.cost.value, 64, 0.01);
  EXPECT_NEAR(spells_of(searched.pick()).back().to / units::hour, 9, 1e-6);
}

TEST(Ledger, PhasesAtTheSameTimeShareTheMachine) {
  const Searched searched(
      job_of("market: {use: only, offers: [{gpu: A100 SXM 40GB, gpus: 8, price: $32/h}]}\n"
             "phases:\n"
             "  - {name: a, fixed: {gpus: 4, time: 2 h, exact: true}}\n"
             "  - {name: b, fixed: {gpus: 2, time: 1 h, exact: true}}\n"));
  const Ledger ledger = ledger_of(searched.job, searched.pick());
  EXPECT_NEAR(ledger.total.used, 10, 1e-6);
  EXPECT_NEAR(ledger.total.billed, 16, 1e-6);
  EXPECT_NEAR(ledger.phases[0].billed, 8 + 8 * 4.0 / 6, 1e-6) << "an hour alone, one beside 2 GPUs";
  EXPECT_EQ(peak_gpus(spells_of(searched.pick())), 6);
}

TEST(Ledger, PartsAddUpToThePlan) {
  for (const char* name : kExamples) {
    const Searched searched(example_job(name));
    for (const Plan& plan : searched.result.plans) {
      const Ledger ledger = ledger_of(searched.job, plan);
      LedgerLine sum;
      for (const LedgerLine& line : ledger.phases) {
        sum.used += line.used;
        sum.billed += line.billed;
        sum.cost += line.cost;
        EXPECT_LE(line.used, line.billed * (1 + 1e-9)) << name << " " << plan.label;
      }
      EXPECT_NEAR(sum.used, ledger.subtotal.used, 1e-6 * plan.gpu_hours) << name << " " << plan.label;
      EXPECT_NEAR(sum.billed, ledger.subtotal.billed, 1e-6 * plan.billed_gpu_hours) << name << " " << plan.label;
      EXPECT_NEAR(sum.cost.value, ledger.subtotal.cost.value, 1e-6 * plan.cost.p50.value) << name << " " << plan.label;
      EXPECT_NEAR(sum.used, plan.gpu_hours, 1e-6 * plan.gpu_hours);
      EXPECT_NEAR(sum.billed + ledger.idle.billed, plan.billed_gpu_hours, 1e-6 * plan.billed_gpu_hours);
      EXPECT_NEAR((sum.cost + ledger.idle.cost).value, plan.cost.p50.value, 1e-9 * plan.cost.p50.value)
          << "to the cent";
    }
  }
}

}  // namespace
}  // namespace gpuplan
