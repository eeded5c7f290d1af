// What is paid for interrupted work that is billed in blocks: the closed form against histories drawn by its rules.
#include "spot/rentals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domain/market/billed_time.h"
#include "spot/histories.h"

namespace gpuplan {
namespace {

Recoverable work_of(double hours, double interval_minutes) {
  Recoverable how;
  how.work = units::hour * hours;
  how.interval = units::minute * interval_minutes;
  how.checkpoint = Seconds{60};
  how.restart = Seconds{300};
  return how;
}

Billing hourly() {
  Billing billing;
  billing.increment = 1 * units::hour;
  return billing;
}

/// Mean of histories, and how far it may lie off.
struct Drawn {
  double mean = 0, error = 0;
};
Drawn drawn(PerSecond rate, const Recoverable& how, const Billing& billing) {
  const Lifetimes lives = Lifetimes::exponential(rate, 1);
  std::vector<History> runs(60'000);
  simulate_histories(std::span(&lives, 1), how, 3, 2, runs, &billing);
  double sum = 0, squares = 0;
  for (const History& run : runs) {
    sum += run.paid.value;
    squares += run.paid.value * run.paid.value;
  }
  const auto count = static_cast<double>(runs.size());
  const double mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

TEST(Rentals, TheClosedFormIsTheMeanOfHistories) {
  Billing least;
  least.minimum = 10 * units::minute;
  Billing half = hourly();
  half.increment = 30 * units::minute;
  half.minimum = 1 * units::hour;
  Billing exact;
  exact.increment = {};
  exact.minimum = 10 * units::minute;
  for (const Billing& billing : {hourly(), least, half, exact})
    for (const double a_hour : {0.02, 0.2, 1.5})
      for (const double hours : {0.4, 5.0, 61.0}) {
        const PerSecond rate{a_hour / 3600};
        const Recoverable how = work_of(hours, 25);
        const Drawn mean = drawn(rate, how, billing);
        EXPECT_NEAR(expected_paid(rate, 1, how, billing).value, mean.mean, 4 * mean.error + 1e-6)
            << a_hour << "/h, " << hours << " h, " << billing.increment.value << " " << billing.minimum.value;
      }
}

TEST(Rentals, OnNoticeTheyBeginAnywhere) {
  for (const double a_hour : {0.05, 0.5}) {
    Recoverable how = work_of(20, 20 * 60);
    how.notice = Seconds{120};
    const PerSecond rate{a_hour / 3600};
    const Drawn mean = drawn(rate, how, hourly());
    EXPECT_NEAR(expected_paid(rate, 1, how, hourly()).value, mean.mean, 4 * mean.error) << a_hour;
  }
}

TEST(Rentals, WithoutInterruptionsOneIsRoundedUp) {
  EXPECT_NEAR(expected_paid(PerSecond{}, 1, work_of(2.1, 30), hourly()) / units::hour, 3, 1e-9);
}

TEST(Rentals, ManyPiecesAreSummedAsAFewAre) {
  // A piece of a second each: 512 of them stand for all.
  const PerSecond rate{0.3 / 3600};
  Recoverable how = work_of(2, 60);
  how.checkpoint = {};
  how.interval = Seconds{1};
  const Drawn mean = drawn(rate, how, hourly());
  EXPECT_NEAR(expected_paid(rate, 1, how, hourly()).value, mean.mean, 4 * mean.error);
}

TEST(Rentals, NeverLessThanTheTimeItself) {
  for (const double a_hour : {0.01, 0.5, 3.0, 40.0}) {
    const PerSecond rate{a_hour / 3600};
    const Recoverable how = work_of(7, 20);
    const ExpectedRun run = expected_run(Lifetimes::exponential(rate, 1), how);
    EXPECT_GE(expected_paid(rate, 1, how, hourly()), run.billed) << a_hour;
    EXPECT_LE(expected_paid(rate, 1, how, hourly()), run.billed + (run.interruptions + 1) * units::hour) << a_hour;
  }
}

}  // namespace
}  // namespace gpuplan
