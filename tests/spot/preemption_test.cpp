#include "spot/preemption.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/amount.h"
#include "spot/bands.h"

namespace gpuplan {
namespace {

using units::hour;

TEST(Lifetimes, OfSeveralMachinesTheFirstInterruptionCounts) {
  const Lifetimes one = Lifetimes::exponential(0.05 / hour);
  const Lifetimes eight = Lifetimes::exponential(0.05 / hour, 8);
  EXPECT_NEAR(one.mean() / hour, 20, 1e-9);
  EXPECT_NEAR(eight.mean() / hour, 2.5, 1e-9);
  EXPECT_NEAR(1 - eight.taken_by(hour), std::pow(1 - one.taken_by(hour), 8), 1e-12);
  const Lifetimes tub = Lifetimes::bathtub({});
  const Lifetimes three = Lifetimes::bathtub({}, 3);
  for (const double age : {0.3, 2.0, 12.0, 23.0, 23.9})
    EXPECT_NEAR(1 - three.taken_by(age * hour), std::pow(1 - tub.taken_by(age * hour), 3), 4e-4) << age;
}

TEST(Lifetimes, TheBathtubIsThatOfThePaper) {
  // A (1 - e^(-t/tau1) + e^((t - b)/tau2)) with A 0.45, tau1 95 min, tau2 48 min, b 24 h.
  const Bathtub shape;
  EXPECT_EQ(taken_by(shape, Seconds{}), 0);
  EXPECT_NEAR(taken_by(shape, 1 * hour), 0.45 * (1 - std::exp(-60.0 / 95)), 1e-9);
  EXPECT_NEAR(taken_by(shape, 12 * hour), 0.45, 1e-3) << "a flat bottom";
  EXPECT_NEAR(taken_by(shape, 24 * hour - Seconds{1}), 0.9, 1e-3);
  EXPECT_EQ(taken_by(shape, 24 * hour), 1) << "who is left is taken at the cap";
  double last = 0;
  for (double age = 0; age <= 24; age += 0.01) {
    EXPECT_GE(taken_by(shape, age * hour), last);
    last = taken_by(shape, age * hour);
  }
}

TEST(Lifetimes, MeanOfTheBathtub) {
  // The integral of 1 - F up to the cap: C - A (C - tau1 (1 - e^(-C/tau1)) + tau2 (e^((C-b)/tau2) - e^(-b/tau2))).
  const double c = 24, a = 0.45, t1 = 95.0 / 60, t2 = 0.8;
  const double expected = c - a * (c - t1 * (1 - std::exp(-c / t1)) + t2 * (1 - std::exp(-c / t2)));
  EXPECT_NEAR(Lifetimes::bathtub({}).mean() / hour, expected, 1e-3);
  EXPECT_NEAR(Lifetimes::bathtub({}).mean_until(24 * hour) / hour, expected, 1e-3);
}

TEST(Lifetimes, DrawsFollowTheDistribution) {
  for (const Lifetimes& lives : {Lifetimes::exponential(0.3 / hour), Lifetimes::bathtub({}), Lifetimes::bathtub({}, 4),
                                 Lifetimes::bathtub({.share = 0.5, .early = 30 * units::minute})}) {
    Random random(11);
    constexpr int kDraws = 200'000;
    std::vector<int> below(6, 0);
    const std::vector<double> ages = {0.2, 1, 5, 15, 23, 23.99};
    double sum = 0;
    double at_5 = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Seconds life = lives.draw(random);
      sum += life / hour;
      at_5 += std::min(life / hour, 5.0);
      for (std::size_t k = 0; k < ages.size(); ++k) below[k] += life < ages[k] * hour ? 1 : 0;
    }
    for (std::size_t k = 0; k < ages.size(); ++k) {
      const double p = lives.taken_by(ages[k] * hour);
      EXPECT_NEAR(below[k] / double{kDraws}, p, 4 * std::sqrt(p * (1 - p) / kDraws) + 1e-6) << ages[k];
    }
    EXPECT_NEAR(sum / kDraws, lives.mean() / hour, 4 * 12 / std::sqrt(kDraws));
    EXPECT_NEAR(at_5 / kDraws, lives.mean_until(5 * hour) / hour, 4 * 2.5 / std::sqrt(kDraws));
  }
}

TEST(Lifetimes, NoRateIsNoInterruption) {
  const Lifetimes never = Lifetimes::exponential(PerSecond{});
  EXPECT_EQ(never.taken_by(Seconds{1e9}), 0);
  EXPECT_EQ(never.mean_until(Seconds{1e9}), Seconds{1e9});
  Random random(1);
  for (int i = 0; i < 1000; ++i) EXPECT_GT(never.draw(random), Seconds{1e200});
}

TEST(Rates, AChanceInAnHourIsNoRateAnHour) {
  // 5 % in one hour is 5.13 % of one an hour; in 8 hours 1 - 0.95^8 = 33.7 %, neither 35 % nor 40 %.
  const PerSecond rate{parse_amount("5%/h", AmountKind::kRate).value()};
  EXPECT_NEAR(rate * hour, 0.0512933, 1e-7);
  EXPECT_NEAR(chance_of_interruption(rate, 1 * hour), 0.05, 1e-15);
  EXPECT_NEAR(chance_of_interruption(rate, 8 * hour), 1 - std::pow(0.95, 8), 1e-14);
  EXPECT_NEAR(chance_of_interruption(0.05 / hour, 8 * hour), 1 - std::exp(-0.4), 1e-14);
}

TEST(Rates, LevelsAreTheMiddlesOfStrata) {
  EXPECT_EQ(rate_levels(exactly(0.05 / hour)).size(), 1U);
  const Interval<PerSecond> range{0.02 / hour, std::sqrt(0.02 * 0.05) / hour, 0.05 / hour};
  const std::vector<PerSecond> levels = rate_levels(range);
  ASSERT_EQ(levels.size(), 17U);
  EXPECT_NEAR(levels[8] / range.p50, 1, 1e-12);
  double mean = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    mean += levels[i].value / 17;
    if (i > 0) {
      EXPECT_GT(levels[i], levels[i - 1]);
    }
  }
  const double sigma = sigma_of(range);
  EXPECT_NEAR(mean / (range.p50.value * std::exp(sigma * sigma / 2)), 1, 0.01);
  for (const PerSecond level : rate_levels({PerSecond{0}, 0.1 / hour, 0.4 / hour})) EXPECT_GE(level, PerSecond{});
}

TEST(Bands, AreReadFromAMonthOfLifeToAWorkingDay) {
  // 5-10 %: -ln(0.95) in 730 h, and 0.1 / 0.9 in 8 h.
  const Interval<PerSecond> rate = rate_of(SpotBand::k5To10);
  EXPECT_NEAR(rate.p10 * hour, 7.027e-5, 1e-8);
  EXPECT_NEAR(rate.p90 * hour, 0.013889, 1e-6);
  EXPECT_NEAR(rate.p50 * hour, std::sqrt(7.027e-5 * 0.013889), 1e-6);
  Interval<PerSecond> last{};
  for (const auto& band : Names<SpotBand>::entries) {
    const Interval<PerSecond> here = rate_of(band.value);
    EXPECT_GT(here.p10, last.p10) << band.name;
    EXPECT_GT(here.p50, last.p50) << band.name;
    EXPECT_GT(here.p90, last.p90) << band.name;
    last = here;
  }
  // V100 machines on AWS, which are in the last band, were measured at 0.1 to 1.4 an hour (traces of 2022 and 2023).
  EXPECT_LT(last.p50 * hour, 0.1);
  EXPECT_GT(last.p90 * hour, 1.0);
}

}  // namespace
}  // namespace gpuplan
