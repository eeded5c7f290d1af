#include "base/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace gpuplan {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kMax = std::numeric_limits<double>::max();

/// Distance in units of the last place of the expected value (x87 long double is the reference: 64 bits of mantissa).
double ulps(double actual, long double expected) {
  const double rounded = static_cast<double>(expected);
  if (actual == rounded) return 0;
  if (!std::isfinite(rounded) || !std::isfinite(actual)) return kInf;
  const double ulp = std::max(std::nextafter(std::fabs(rounded), kInf) - std::fabs(rounded), kTiny);
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - expected) / ulp);
}

/// A number with a random sign-free magnitude between 2^low and 2^high.
double spread(Random& random, double low, double high) { return std::exp2(low + (high - low) * random.uniform01()); }

TEST(Exp, IsWithinOneUnitInTheLastPlace) {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = -745.0 + 1454.7 * random.uniform01();
    worst = std::max(worst, ulps(math::exp(x), std::exp(static_cast<long double>(x))));
    const double small = spread(random, -60, 0) * (i % 2 == 0 ? 1 : -1);
    worst = std::max(worst, ulps(math::exp(small), std::exp(static_cast<long double>(small))));
  }
  EXPECT_LT(worst, 1.0);
}

TEST(Exp, KnowsItsEdges) {
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-0.0), 1.0);
  EXPECT_EQ(math::exp(kInf), kInf);
  EXPECT_EQ(math::exp(-kInf), 0.0);
  EXPECT_EQ(math::exp(710.0), kInf);
  EXPECT_EQ(math::exp(-746.0), 0.0);
  EXPECT_EQ(math::exp(-745.13), kTiny);
  EXPECT_TRUE(std::isfinite(math::exp(709.78)));
  EXPECT_EQ(math::exp(709.79), kInf);
  EXPECT_TRUE(std::isnan(math::exp(kNan)));
}

TEST(Expm1, IsWithinFourUnitsInTheLastPlace) {
  Random random(2);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = spread(random, -80, 9) * (i % 2 == 0 ? 1 : -1);
    worst = std::max(worst, ulps(math::expm1(x), std::expm1(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 4.0);
  EXPECT_EQ(math::expm1(0.0), 0.0);
  EXPECT_EQ(math::expm1(kTiny), kTiny);
  EXPECT_EQ(math::expm1(-kInf), -1.0);
  EXPECT_EQ(math::expm1(kInf), kInf);
  EXPECT_TRUE(std::isnan(math::expm1(kNan)));
}

TEST(Log, IsWithinOneUnitInTheLastPlace) {
  Random random(3);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = spread(random, -1074, 1023.99);
    worst = std::max(worst, ulps(math::log(x), std::log(static_cast<long double>(x))));
    const double near_one = 1.0 + spread(random, -52, -1) * (i % 2 == 0 ? 1 : -0.5);
    worst = std::max(worst, ulps(math::log(near_one), std::log(static_cast<long double>(near_one))));
  }
  EXPECT_LT(worst, 0.75);
}

TEST(Log, KnowsItsEdges) {
  EXPECT_EQ(math::log(1.0), 0.0);
  EXPECT_EQ(math::log(0.0), -kInf);
  EXPECT_EQ(math::log(-0.0), -kInf);
  EXPECT_EQ(math::log(kInf), kInf);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_TRUE(std::isnan(math::log(-kInf)));
  EXPECT_TRUE(std::isnan(math::log(kNan)));
  EXPECT_EQ(math::log(kTiny), std::log(kTiny));
  EXPECT_EQ(math::log(kMax), std::log(kMax));
}

TEST(Log1p, IsWithinOneUnitInTheLastPlace) {
  Random random(4);
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = spread(random, -80, 200);
    worst = std::max(worst, ulps(math::log1p(x), std::log1p(static_cast<long double>(x))));
    const double negative = -spread(random, -80, -1e-9);
    worst = std::max(worst, ulps(math::log1p(negative), std::log1p(static_cast<long double>(negative))));
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(math::log1p(0.0), 0.0);
  EXPECT_EQ(math::log1p(kTiny), kTiny);
  EXPECT_EQ(math::log1p(-1.0), -kInf);
  EXPECT_EQ(math::log1p(kInf), kInf);
  EXPECT_EQ(math::log1p(kMax), std::log1p(kMax));
  EXPECT_TRUE(std::isnan(math::log1p(-1.5)));
  EXPECT_TRUE(std::isnan(math::log1p(-kInf)));
  EXPECT_TRUE(std::isnan(math::log1p(kNan)));
}

TEST(Log2AndExp2, AreAccurateAndExactForPowersOfTwo) {
  Random random(5);
  double worst_log = 0, worst_exp = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = spread(random, -1074, 1023.99);
    worst_log = std::max(worst_log, ulps(math::log2(x), std::log2(static_cast<long double>(x))));
    const double y = -1074.0 + 2097.9 * random.uniform01();
    worst_exp = std::max(worst_exp, ulps(math::exp2(y), std::exp2(static_cast<long double>(y))));
  }
  EXPECT_LT(worst_log, 2.0);
  EXPECT_LT(worst_exp, 1.0);
  for (int k = -1074; k <= 1023; ++k) {
    EXPECT_EQ(math::exp2(k), std::ldexp(1.0, k));
    EXPECT_EQ(math::log2(std::ldexp(1.0, k)), k);
  }
  EXPECT_EQ(math::exp2(1024.0), kInf);
  EXPECT_EQ(math::exp2(-1081.0), 0.0);
  EXPECT_EQ(math::exp2(-kInf), 0.0);
  EXPECT_TRUE(std::isnan(math::exp2(kNan)));
  EXPECT_EQ(math::log2(0.0), -kInf);
  EXPECT_TRUE(std::isnan(math::log2(-2.0)));
}

TEST(Pow, StaysAccurateForLargeExponents) {
  Random random(6);
  double worst = 0;
  int compared = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double x = i % 2 == 0 ? spread(random, -300, 300) : 1.0 + spread(random, -50, -2);
    const double y = spread(random, -20, 50) * (i % 4 < 2 ? 1 : -1);
    const double exponent = y * std::log(x);
    if (std::fabs(exponent) > 700.0) continue;  // beyond, both overflow or lose bits below the normal range
    ++compared;
    worst = std::max(worst, ulps(math::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
  }
  EXPECT_GT(compared, 100'000);
  EXPECT_LT(worst, 9.0);
}

TEST(Pow, IsExactForWholePowersOfWholeNumbers) {
  for (int base = -20; base <= 20; ++base) {
    double expected = 1;
    for (int exponent = 0; std::fabs(expected) < 9e15 && exponent < 60; ++exponent) {
      EXPECT_EQ(math::pow(base, exponent), expected) << base << "^" << exponent;
      expected *= base;
    }
  }
  EXPECT_EQ(math::pow(10.0, -3.0), 0.001);
  EXPECT_EQ(math::pow(0.25, 0.5), 0.5);
}

TEST(Pow, KnowsTheSpecialCasesOfIeee754) {
  const double arguments[] = {0.0,  -0.0, 1.0,   -1.0, 2.0,   -2.0,   0.5,  -0.5,  3.0,   -3.0,   1.5,
                              -1.5, kInf, -kInf, kNan, kTiny, -kTiny, kMax, -kMax, 1e300, 1e-300, 4503599627370497.0};
  for (const double x : arguments) {
    for (const double y : arguments) {
      const double expected = std::pow(x, y);
      const double actual = math::pow(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << x << "^" << y;
      } else {
        EXPECT_LE(ulps(actual, expected), 1.0) << x << "^" << y << ": " << actual << ", expected " << expected;
        EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << x << "^" << y;
      }
    }
  }
}

TEST(NormalCdf, AgreesWithErfcInBothTails) {
  double worst = 0;
  for (double x = -37.5; x <= 9.0; x += 0.00037) {
    const long double expected = std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)) / 2;
    const double relative =
        static_cast<double>(std::fabs((static_cast<long double>(math::normal_cdf(x)) - expected) / expected));
    worst = std::max(worst, relative);
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_EQ(math::normal_cdf(0.0), 0.5);
  EXPECT_EQ(math::normal_cdf(kInf), 1.0);
  EXPECT_EQ(math::normal_cdf(-kInf), 0.0);
  EXPECT_EQ(math::normal_cdf(-41.0), 0.0);
  EXPECT_EQ(math::normal_cdf(41.0), 1.0);
  EXPECT_TRUE(std::isnan(math::normal_cdf(kNan)));
}

TEST(NormalQuantile, InvertsTheDistribution) {
  // dp/p = phi(x)/Phi(x) dx: compare in x, where 1e-14 relative is asked for.
  double worst = 0;
  for (double x = -37.0; x <= 0.0; x += 0.0007) {
    const long double p = std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)) / 2;
    const double back = math::normal_quantile(static_cast<double>(p));
    worst = std::max(worst, std::fabs(back - x) / std::max(1.0, std::fabs(x)));
  }
  EXPECT_LT(worst, 1e-14);
  for (const double p : {0.5001, 0.6, 0.9, 0.99, 0.9999}) {
    EXPECT_NEAR(math::normal_quantile(p), -math::normal_quantile(1.0 - p), 1e-11);
  }
  EXPECT_EQ(math::normal_quantile(0.5), 0.0);
  EXPECT_NEAR(math::normal_quantile(0.9), 1.2815515655446004, 1e-15);  // published tables: 1.2815515655446...
  EXPECT_NEAR(math::normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_EQ(math::normal_quantile(0.0), -kInf);
  EXPECT_EQ(math::normal_quantile(1.0), kInf);
  EXPECT_TRUE(std::isnan(math::normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(math::normal_quantile(1.1)));
  EXPECT_TRUE(std::isnan(math::normal_quantile(kNan)));
}

TEST(Math, IsUsableAtCompileTime) {
  static_assert(math::exp(0.0) == 1.0);
  static_assert(math::pow(10.0, 3.0) == 1000.0);
  static_assert(math::log2(1024.0) == 10.0);
  static_assert(math::exp2(-3.0) == 0.125);
}

}  // namespace
}  // namespace gpuplan
