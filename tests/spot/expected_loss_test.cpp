#include "spot/expected_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace gpuplan {
namespace {

TEST(ExpectedLoss, NoInterruptionsNoLoss) {
  const ExpectedRun run = expected_run({}, Seconds{3600}, Seconds{600});
  EXPECT_EQ(run.wall, Seconds{3600});
  EXPECT_EQ(run.interruptions, 0);
}

TEST(ExpectedLoss, IntervalOfYoungShortenedByTheCheckpoint) {
  // 5 % an hour, checkpoints of 20 s: sqrt(2 * 20 * 72,000) = 1,697 s, less the 20 s of the checkpoint.
  const Interruptible how{PerSecond{0.05 / 3600}, Seconds{20}, Seconds{300}};
  EXPECT_NEAR(checkpoint_interval(how, Seconds{1e6}).value, std::sqrt(2.0 * 20 * 72000) - 20, 1e-9);
  EXPECT_EQ(checkpoint_interval(how, Seconds{100}), Seconds{100}) << "never longer than the work";
}

TEST(ExpectedLoss, WorkedByHand) {
  // Daly eq. 13 with r = 1/36,000 s, c = 60 s, R = 300 s, t = 2,040 s, W = 20,400 s (ten pieces):
  // 36,000 e^(300/36000) (e^(2100/36000) - 1) 10 = 21,805.5 s.
  const Interruptible how{PerSecond{1.0 / 36000}, Seconds{60}, Seconds{300}};
  const ExpectedRun run = expected_run(how, Seconds{20400}, Seconds{2040});
  EXPECT_NEAR(run.wall.value, 36000 * std::exp(300.0 / 36000) * std::expm1(2100.0 / 36000) * 10, 1e-6);
  EXPECT_NEAR(run.wall.value, 21805.5, 0.2);
  EXPECT_NEAR(run.interruptions, run.wall.value / 36000, 1e-12);
}

TEST(ExpectedLoss, DalysIntervalIsNearlyTheBest) {
  const Interruptible how{PerSecond{0.02 / 3600}, Seconds{90}, Seconds{300}};
  const Seconds work{48 * 3600.0};
  const Seconds chosen = checkpoint_interval(how, work);
  const double at_chosen = expected_run(how, work, chosen).wall.value;
  double best = at_chosen;
  for (double t = 60; t < 40000; t *= 1.05) best = std::min(best, expected_run(how, work, Seconds{t}).wall.value);
  EXPECT_LT(at_chosen / best, 1.001);
}

TEST(ExpectedLoss, AgreesWithASimulation) {
  // Each piece of work and its checkpoint must be finished without interruption; a failure costs what was done and a
  // restart (which can fail again: Daly's e^(R/M)).
  const Interruptible how{PerSecond{1.0 / 7200}, Seconds{60}, Seconds{300}};
  const Seconds work{10 * 1800.0};
  const Seconds interval{1800};
  Random random(7);
  double total = 0;
  constexpr int kTrials = 20000;
  for (int trial = 0; trial < kTrials; ++trial) {
    for (int piece = 0; piece < 10; ++piece) {
      double need = interval.value + how.checkpoint.value;
      for (;;) {
        const double fails = random.exponential(7200);
        if (fails >= need) {
          total += need;
          break;
        }
        total += fails;
        need = how.restart.value + interval.value + how.checkpoint.value;
      }
    }
  }
  const double expected = expected_run(how, work, interval).wall.value;
  // Daly charges the factor e^(R/M) to every piece, the simulation a restart to every failure: the same to first order.
  EXPECT_NEAR(total / kTrials / expected, 1.0, 0.02);
}

}  // namespace
}  // namespace gpuplan
