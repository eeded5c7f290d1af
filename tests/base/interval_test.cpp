#include "base/interval.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace gpuplan {
namespace {

TEST(Interval, AnExactValueHasNoWidth) {
  constexpr auto value = exactly(Seconds{3});
  static_assert(value.exact());
  EXPECT_EQ(sigma_of(value), 0);
  EXPECT_EQ(at(value, 2.5), Seconds{3});
}

TEST(Interval, LognormalHoldsEightyPercent) {
  const auto interval = lognormal(Seconds{100}, 0.2);
  EXPECT_FALSE(interval.exact());
  EXPECT_EQ(interval.p50, Seconds{100});
  // exp(1.2815516 * 0.2) = 1.292154
  EXPECT_NEAR(interval.p90.value, 129.2154, 1e-3);
  EXPECT_NEAR(interval.p10.value, 77.3902, 1e-3);
  EXPECT_NEAR(sigma_of(interval), 0.2, 1e-12);
  EXPECT_NEAR(at(interval, kZ90).value, interval.p90.value, 1e-9);
  EXPECT_NEAR(at(interval, -kZ90).value, interval.p10.value, 1e-9);
  EXPECT_NEAR(at(interval, 0).value, 100, 1e-12);
}

TEST(Interval, NormalWhenTheLowEndIsNotPositive) {
  const Interval<Seconds> interval{Seconds{-10}, Seconds{0}, Seconds{10}};
  EXPECT_NEAR(at(interval, kZ90).value, 10, 1e-12);
  EXPECT_NEAR(at(interval, -kZ90).value, -10, 1e-12);
}

TEST(Interval, Compares) {
  EXPECT_EQ((Interval<double>{1, 2, 3}), (Interval<double>{1, 2, 3}));
  EXPECT_LT((Interval<double>{1, 2, 3}), (Interval<double>{1, 2, 4}));
}

}  // namespace
}  // namespace gpuplan
