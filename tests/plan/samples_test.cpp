#include "plan/billing/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace gpuplan {
namespace {

TEST(Samples, QuantilesOfOneFactorAreExact) {
  const Scores scores(1);
  const Interval<Seconds> time = lognormal(Seconds{100}, 0.3);
  Samples samples{};
  add_samples(time, scores.of(0), samples);
  const Quantiles q = quantiles(samples);
  EXPECT_NEAR(q.p50 / 100, 1, 1e-3);
  EXPECT_NEAR(q.p10 / time.p10.value, 1, 1e-3);
  EXPECT_NEAR(q.p90 / time.p90.value, 1, 1e-3);
  EXPECT_NEAR(q.mean / (100 * std::exp(0.3 * 0.3 / 2)), 1, 3e-3) << "mean of a lognormal";
}

TEST(Samples, AnExactValueHasNoSpread) {
  Samples samples{};
  add_samples(exactly(Seconds{5}), Scores(1).of(0), samples);
  const Quantiles q = quantiles(samples);
  EXPECT_EQ(q.p10, 5);
  EXPECT_EQ(q.p90, 5);
}

TEST(Samples, OrderDoesNotMatter) {
  // Whatever lies far out: smooth, a few values many times, one that dwarfs all, one without an end, all alike.
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double extreme : {0.0, 1.0, -1e12, 1e300, infinite}) {
    for (const double grain : {0.0, 0.25, 1e9}) {
      Samples samples = Scores(2).of(3);
      for (double& value : samples) value = grain > 0 ? std::floor(value / grain) * grain : value * 1e-3 + 7;
      if (extreme != 0) samples[40] = extreme;
      Samples sorted = samples;
      std::ranges::sort(sorted);
      const Quantiles q = quantiles(samples);
      const auto at = [&](double p) {
        const double position = p * kSamples - 0.5;
        const auto below = static_cast<std::size_t>(position);
        return sorted[below] + (position - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
      };
      EXPECT_EQ(q.p10, at(0.1)) << extreme << " " << grain;
      EXPECT_EQ(q.p50, at(0.5)) << extreme << " " << grain;
      EXPECT_EQ(q.p90, at(0.9)) << extreme << " " << grain;
      EXPECT_EQ(median(samples), sorted[kSamples / 2]) << extreme << " " << grain;
    }
  }
}

TEST(Samples, ProductsOfIndependentFactors) {
  // ln of a product of lognormals is normal with the sum of the variances; the first seven factors are what plans use.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Scores scores(seed);
    for (int first = 0; first < 7; ++first) {
      for (int second = first + 1; second < 7; ++second) {
        const Samples a = scores.of(first);
        const Samples b = scores.of(second);
        Samples product{};
        for (std::size_t i = 0; i < product.size(); ++i) product[i] = std::exp(0.2 * a[i] + 0.1 * b[i]);
        const Quantiles q = quantiles(product);
        const double sigma = std::sqrt(0.05);
        EXPECT_NEAR(q.p50, 1, 1e-9) << first << " x " << second;
        EXPECT_NEAR(std::log(q.p90), kZ90 * sigma, 0.06 * sigma) << first << " x " << second;
        EXPECT_NEAR(std::log(q.p10), -kZ90 * sigma, 0.06 * sigma) << first << " x " << second;
      }
    }
  }
}

TEST(Samples, EveryFactorTakesEachStratumOnce) {
  for (int factor = 0; factor < 40; ++factor) {
    Samples sorted = Scores(3).of(factor);
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, Scores(3).of(0)) << factor;
  }
  EXPECT_NE(Scores(0).of(1), Scores(1).of(1)) << "the seed chooses the lattice";
}

TEST(Samples, AnIntervalAroundZeroIsNormal) {
  Samples samples{};
  add_samples(Interval<Seconds>{Seconds{-1}, Seconds{0}, Seconds{1}}, Scores(1).of(0), samples);
  EXPECT_NEAR(quantiles(samples).p90, 1, 1e-3);
  EXPECT_NEAR(quantiles(samples).p10, -1, 1e-3);
}

TEST(Streams, NoTwoThingsDrawFromOne) {
  for (const std::size_t phases : {1U, 2U, 7U}) {
    const Streams streams(phases);
    std::set<int> seen;
    for (std::size_t time = 0; time < 3 * phases; ++time) EXPECT_TRUE(seen.insert(streams.of_time(time)).second);
    for (std::size_t offer = 0; offer < phases; ++offer)
      EXPECT_TRUE(seen.insert(streams.of_price(static_cast<std::ptrdiff_t>(offer))).second);
    EXPECT_TRUE(seen.insert(streams.of_queues()).second);
  }
  // Other numbers would move every range that was ever told.
  EXPECT_EQ(Streams(2).of_time(5), 5);
  EXPECT_EQ(Streams(2).of_price(1), 7);
  EXPECT_EQ(Streams(2).of_queues(), 9);
}

}  // namespace
}  // namespace gpuplan
