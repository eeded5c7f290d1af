#include "spot/checkpointing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpuplan {
namespace {

using units::hour;
using units::minute;

Recoverable two_days(Seconds interval, Seconds checkpoint, Seconds restart = 5 * minute) {
  return {.work = 48 * hour, .interval = interval, .checkpoint = checkpoint, .restart = restart};
}

ExpectedRun run(PerSecond rate, const Recoverable& how) { return expected_run(Lifetimes::exponential(rate), how); }

TEST(Checkpointing, NothingIsLostWithoutInterruptions) {
  const ExpectedRun free = run(PerSecond{}, two_days(48 * hour, Seconds{}));
  EXPECT_EQ(free.wall, 48 * hour);
  EXPECT_EQ(free.interruptions, 0);
  EXPECT_EQ(free.uninterrupted, 1);
  EXPECT_EQ(run(PerSecond{}, two_days(6 * hour, 3 * minute)).wall, 48 * hour + 24 * minute);
  EXPECT_EQ(run(PerSecond{0.1}, {.work = Seconds{}, .interval = Seconds{1}}).wall, Seconds{});
}

TEST(Checkpointing, DalysCompleteModelByHand) {
  // r = 1/36,000 s, c = 60 s, R = 300 s, t = 2,040 s, W = 20,400 s (ten pieces):
  // 36,000 e^(300/36000) (e^(2100/36000) - 1) 10 = 21,805.5 s.
  const Recoverable how{
      .work = Seconds{20400}, .interval = Seconds{2040}, .checkpoint = Seconds{60}, .restart = Seconds{300}};
  const ExpectedRun ten = run(PerSecond{1.0 / 36000}, how);
  EXPECT_NEAR(ten.wall.value, 36000 * std::exp(300.0 / 36000) * std::expm1(2100.0 / 36000) * 10, 1e-6);
  EXPECT_NEAR(ten.wall.value, 21805.5, 0.2);
  EXPECT_NEAR(ten.interruptions, ten.wall.value / 36000, 1e-12);
  EXPECT_NEAR(ten.uninterrupted, std::exp(-21000.0 / 36000), 1e-12);
  // Waiting counts once for each interruption and is not billed.
  Recoverable waits = how;
  waits.wait = Seconds{1000};
  const ExpectedRun waited = run(PerSecond{1.0 / 36000}, waits);
  EXPECT_EQ(waited.billed, ten.billed);
  EXPECT_NEAR((waited.wall - waited.billed).value, 1000 * ten.interruptions, 1e-9);
}

TEST(Checkpointing, TheLastPieceMayBeShorter) {
  const PerSecond r = 0.05 / hour;
  const Recoverable uneven{.work = 10 * hour, .interval = 4 * hour, .checkpoint = 6 * minute};
  const auto piece = [&](double hours) { return std::expm1(0.05 * hours) / 0.05; };
  EXPECT_NEAR(run(r, uneven).wall / hour, 2 * piece(4.1) + piece(2.1), 1e-9);
}

TEST(Checkpointing, ANoticeLongEnoughLosesNoWork) {
  const PerSecond r = 0.2 / hour;
  Recoverable how = two_days(48 * hour, 90 * units::second, Seconds{});
  how.notice = 89 * units::second;
  EXPECT_GT(run(r, how).wall, 500 * hour) << "too short: the whole work must go through at once";
  how.notice = 90 * units::second;
  // 9.6 interruptions while working, a checkpoint each; one at the end.
  EXPECT_NEAR(run(r, how).wall / hour, 48 + 0.025 + 9.6 * 0.025, 1e-9);
  how.restart = 30 * minute;
  EXPECT_NEAR(run(r, how).wall / hour, 48 + 0.025 + 9.6 * (0.025 + std::expm1(0.1) / 0.2), 1e-9);
  const Seconds best = best_interval(Lifetimes::exponential(r), how);
  EXPECT_EQ(best, how.work) << "no other checkpoints are needed";
}

TEST(Checkpointing, IntervalsOfYoungAndDaly) {
  const PerSecond r = 0.05 / hour;  // one in 72,000 s
  EXPECT_NEAR(young_interval(r, Seconds{20}).value, std::sqrt(2.0 * 20 * 72000), 1e-9);
  EXPECT_NEAR(daly_interval(r, Seconds{20}).value, std::sqrt(2.0 * 20 * 72000) - 20, 1e-9);
  const double x = 20.0 / 144000;
  EXPECT_NEAR(daly_higher_interval(r, Seconds{20}).value,
              std::sqrt(2.0 * 20 * 72000) * (1 + std::sqrt(x) / 3 + x / 9) - 20, 1e-9);
  EXPECT_EQ(daly_interval(r, Seconds{40000}), Seconds{72000});
  EXPECT_EQ(daly_higher_interval(r, Seconds{150000}), Seconds{72000});
}

TEST(Checkpointing, TheBestIntervalIsBetterThanAllOthers) {
  for (const double hourly : {0.001, 0.05, 0.5, 3.0}) {
    for (const double c : {1.0, 30.0, 600.0, 5000.0}) {
      const PerSecond r = hourly / hour;
      const Recoverable how = two_days(hour, Seconds{c});
      const Seconds best = best_interval(Lifetimes::exponential(r), how);
      Recoverable other = how;
      other.interval = best;
      const Seconds least = run(r, other).wall;
      if (least >= kHopeless * how.work) continue;
      for (double t = 5; t < 48 * 3600.0; t *= 1.03) {
        other.interval = Seconds{t};
        EXPECT_GE(run(r, other).wall.value, least.value * (1 - 1e-12)) << hourly << ' ' << c << ' ' << t;
      }
      // Where pieces are many, the root of r t = 1 - e^(-r(t+c)) and Daly's higher order are near.
      if (how.work / best < 20) continue;
      EXPECT_NEAR(r.value * best.value, -std::expm1(-r.value * (best.value + c)), 0.04 * r.value * best.value);
      EXPECT_NEAR(daly_higher_interval(r, Seconds{c}) / best, 1, 0.06);
    }
  }
}

TEST(Checkpointing, FreeCheckpointsAreTakenAllTheTime) {
  const PerSecond r = 1 / hour;
  const Recoverable how = two_days(hour, Seconds{}, 6 * minute);
  const Seconds best = best_interval(Lifetimes::exponential(r), how);
  EXPECT_EQ(best, Seconds{1});
  Recoverable often = how;
  often.interval = best;
  EXPECT_NEAR(run(r, often).wall / hour, 48 * std::exp(0.1), 0.01) << "restarts alone";
}

TEST(Checkpointing, WhatAnotherIntervalLoses) {
  const std::vector<PerSecond> rate = {0.05 / hour};
  const Recoverable how = two_days(hour, 5 * minute);
  const IntervalLoss same = interval_loss(rate, 1, how, best_interval(rate, 1, how), DollarsPerSecond{1});
  EXPECT_EQ(same.time, Seconds{});
  const IntervalLoss often = interval_loss(rate, 1, how, 15 * minute, 36 * units::dollar / hour);
  EXPECT_GT(often.time, 10 * hour);
  EXPECT_NEAR(often.money.value, often.time / hour * 36, 1e-6);
  EXPECT_GT(interval_loss(rate, 1, how, 24 * hour, DollarsPerSecond{}).time, 10 * hour);
}

TEST(Checkpointing, AnUncertainRateWantsShorterIntervalsThanItsMedian) {
  const Interval<PerSecond> range{0.005 / hour, std::sqrt(0.005 * 0.5) / hour, 0.5 / hour};
  const std::vector<PerSecond> rates = rate_levels(range);
  const Recoverable how = two_days(hour, 5 * minute);
  const Seconds best = best_interval(rates, 1, how);
  EXPECT_LT(best, best_interval(Lifetimes::exponential(range.p50), how));
  Recoverable chosen = how;
  chosen.interval = best;
  const ExpectedRun mean = expected_run(rates, 1, chosen);
  double by_hand = 0;
  for (const PerSecond rate : rates) by_hand += run(rate, chosen).wall.value / 17;
  EXPECT_NEAR(mean.wall.value, by_hand, 1e-6);
  for (double t = 60; t < 48 * 3600.0; t *= 1.1) {
    chosen.interval = Seconds{t};
    EXPECT_GE(expected_run(rates, 1, chosen).wall.value, mean.wall.value * (1 - 1e-9)) << t;
  }
}

TEST(Checkpointing, Laws) {
  for (const bool tub : {false, true}) {
    const auto lives = [&](double hourly, int machines) {
      return tub ? Lifetimes::bathtub({.cap = (24 / hourly) * hour}, machines)
                 : Lifetimes::exponential(hourly / hour, machines);
    };
    Seconds last = 48 * hour;
    for (const int machines : {1, 2, 8, 32}) {
      const Seconds wall = expected_run(lives(1, machines), two_days(20 * minute, minute)).wall;
      EXPECT_GT(wall, last) << machines << " machines stop more often than fewer";
      last = wall;
    }
    last = {};
    for (const double restart : {0.0, 1.0, 10.0, 60.0}) {
      const Seconds wall = expected_run(lives(1, 1), two_days(20 * minute, minute, restart * minute)).wall;
      EXPECT_GT(wall, last) << restart;
      last = wall;
    }
    last = {};
    for (const double checkpoint : {0.0, 1.0, 10.0, 100.0}) {
      const Seconds wall = expected_run(lives(1, 1), two_days(20 * minute, checkpoint * units::second)).wall;
      EXPECT_GT(wall, last) << checkpoint;
      last = wall;
    }
  }
}

TEST(Checkpointing, TheRenewalRecursionIsTheClosedFormOfMemorylessLives) {
  // A bathtub without a bend before a far cap is an exponential: share 1, early 1/r.
  const Bathtub shape{.share = 1, .early = 10 * hour, .late = hour, .bend = 1e5 * hour, .cap = 500 * hour};
  for (const double interval : {20.0, 120.0, 1000.0}) {
    const Recoverable how = two_days(interval * minute, 2 * minute);
    const ExpectedRun closed = run(0.1 / hour, how);
    const ExpectedRun renewal = expected_run(Lifetimes::bathtub(shape), how);
    EXPECT_NEAR(renewal.wall / closed.wall, 1, 2e-3) << interval;
    EXPECT_NEAR(renewal.interruptions / closed.interruptions, 1, 5e-3) << interval;
  }
  Recoverable noticed = two_days(48 * hour, 2 * minute);
  noticed.notice = 2 * minute;
  EXPECT_NEAR(expected_run(Lifetimes::bathtub(shape), noticed).wall / run(0.1 / hour, noticed).wall, 1, 2e-3);
}

TEST(Checkpointing, HopelessWorkHasAnEnd) {
  const ExpectedRun never = run(60 / hour, two_days(48 * hour, hour));
  EXPECT_EQ(never.wall, kHopeless * 48 * hour);
  EXPECT_GT(never.interruptions, 1e5);
  // No machine lives long enough for a restart and a piece.
  const ExpectedRun capped = expected_run(Lifetimes::bathtub({}), two_days(30 * hour, hour));
  EXPECT_EQ(capped.wall, kHopeless * 48 * hour);
  EXPECT_GT(best_interval(Lifetimes::exponential(60 / hour), two_days(hour, hour)), Seconds{});
}

TEST(Checkpointing, TheBestIntervalOfABathtubIsNearTheLeast) {
  const Lifetimes lives = Lifetimes::bathtub({});
  Recoverable how = two_days(hour, 4 * minute);
  how.interval = best_interval(lives, how);
  const double chosen = expected_run(lives, how).wall.value;
  double least = chosen;
  for (int pieces = 2; pieces <= 400; ++pieces) {
    how.interval = how.work / pieces;
    least = std::min(least, expected_run(lives, how).wall.value);
  }
  // Intervals that end just before the cap are better than those around them.
  EXPECT_LT(chosen / least, 1.005);
}

}  // namespace
}  // namespace gpuplan
