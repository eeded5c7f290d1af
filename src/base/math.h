// Exponentials, logarithms and the normal distribution, written with + - * / sqrt and bit patterns only.
//
// C libraries, and processors with and without fused multiply-add, differ in the last digit of exp and log. Two people
// who ask the same question must get the same answer, on the command line and in a browser, so the pure floors use
// these functions in place of the transcendental ones of <cmath>. IEEE 754 prescribes every operation used here.
// Errors, measured in tests/base/math_test.cpp: one unit in the last place for exp, log, log1p and exp2, up to eight
// for the others (pow with results near the ends of the range), 1e-14 relative for the normal ones.
//
// All arguments and results are plain numbers (no unit). Nothing here fails: wrong arguments give NaN or infinities
// as in <cmath>, and no floating-point flags or errno are promised.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace gpuplan::math {

namespace detail {

/// A number as an unevaluated sum: `low` holds what rounding took from `high`.
struct Pair {
  double high = 0;
  double low = 0;
};

/// A positive finite number as mantissa x 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)).
struct Scaled {
  double mantissa = 1;
  int exponent = 0;
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kSqrt2 = 1.41421356237309504880;
inline constexpr double kInverseLn2 = 1.44269504088896340736;
// ln 2 in two parts. The last 21 bits of the first are zero, so its product with an exponent is exact.
inline constexpr double kLn2High = std::bit_cast<double>(std::uint64_t{0x3FE62E42FEE00000});
inline constexpr double kLn2Low = std::bit_cast<double>(std::uint64_t{0x3DEA39EF35793C76});

constexpr bool is_nan(double x) { return x != x; }
constexpr double magnitude(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~(1ULL << 63)); }

/// 2^exponent for exponents of normal numbers, -1022 to 1023.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// x * 2^exponent. Two steps, so that results below the normal range round once and correctly.
constexpr double scale(double x, int exponent) {
  if (exponent > 1023) return x * power_of_two(1023) * power_of_two(exponent - 1023 > 1023 ? 1023 : exponent - 1023);
  if (exponent < -1022) return x * power_of_two(exponent + 54 < -1022 ? -1022 : exponent + 54) * power_of_two(-54);
  return x * power_of_two(exponent);
}

constexpr Scaled split_exponent(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal: give it a leading bit first
    x *= power_of_two(54);
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & ((1ULL << 52) - 1)) | (1023ULL << 52));
  if (mantissa >= kSqrt2) {
    mantissa *= 0.5;
    ++exponent;
  }
  return {mantissa, exponent};
}

/// a + b without error (Knuth's two-sum).
constexpr Pair two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a * b without error (Dekker 1971: split both factors in halves of 26 bits); |a| and |b| below 2^996.
constexpr Pair two_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double a_big = a * kSplit;
  const double a_high = a_big - (a_big - a);
  const double a_low = a - a_high;
  const double b_big = b * kSplit;
  const double b_high = b_big - (b_big - b);
  const double b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// log of a mantissa in [sqrt(1/2), sqrt(2)) to about 2^-60 relative: log m = 2 atanh((m - 1) / (m + 1)), with the
/// quotient s as a pair and the series of atanh to s^25 (|s| < 0.1716, so the rest is below 2^-60).
constexpr Pair log_mantissa(double mantissa) {
  const double f = mantissa - 1.0;  // exact
  const double d = 2.0 + f;
  const double d_low = f - (d - 2.0);
  const double s = f / d;
  const Pair product = two_product(s, d);
  const double s_low = (((f - product.high) - product.low) - s * d_low) / d;
  const double z = s * s;
  const double w = z * z;
  const double even = 2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19 + w * (2.0 / 23)))));
  const double odd = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21 + w * (2.0 / 25)))));
  return {2.0 * s, 2.0 * s_low + s * z * (even + z * odd)};
}

/// log of a positive finite number as a pair.
constexpr Pair log_pair(double x) {
  const Scaled scaled = split_exponent(x);
  const Pair mantissa = log_mantissa(scaled.mantissa);
  const double k = scaled.exponent;
  const Pair high = two_sum(k * kLn2High, mantissa.high);
  const double low = high.low + (k * kLn2Low + mantissa.low);
  const double sum = high.high + low;
  return {sum, low - (sum - high.high)};
}

/// exp(r) - 1 - r for |r| < 0.36: the Taylor series to r^14, whose rest is below 2^-60.
constexpr double exp_tail(double r) {
  const double z = r * r;
  const double even =
      1.0 / 2 + z * (1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600)))));
  const double odd =
      1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800)))));
  return z * (even + r * odd) + z * z * z * (z * z * z * z) * (1.0 / 87178291200);
}

/// exp(x.high + x.low) for |x.high| < 760 and a small low part.
constexpr double exp_pair(Pair x) {
  const double scaled = x.high * kInverseLn2;
  const int k = static_cast<int>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const Pair r = two_sum(x.high - k * kLn2High, x.low - k * kLn2Low);
  return scale(1.0 + (r.high + (r.low * (1.0 + r.high) + exp_tail(r.high))), k);
}

}  // namespace detail

/// e^x. Infinity above 709.78, zero below -745.13.
constexpr double exp(double x) {
  if (detail::is_nan(x)) return x;
  if (x > 710.0) return detail::kInfinity;
  if (x < -746.0) return 0.0;
  return detail::exp_pair({x, 0.0});
}

/// e^x - 1, exact to the last digits for small x too.
constexpr double expm1(double x) {
  if (detail::magnitude(x) < 0.36) {
    return detail::magnitude(x) < 1e-17 ? x : x + detail::exp_tail(x);
  }
  return exp(x) - 1.0;
}

/// Natural logarithm. NaN below zero, minus infinity at zero.
constexpr double log(double x) {
  if (x > 0.0 && x < detail::kInfinity) {
    const detail::Pair result = detail::log_pair(x);
    return result.high + result.low;
  }
  if (x == 0.0) return -detail::kInfinity;
  return x > 0.0 ? x : detail::kNaN;
}

/// log(1 + x), exact to the last digits for small x too. NaN below -1.
constexpr double log1p(double x) {
  if (detail::magnitude(x) < 1e-17) return x;
  if (!(x > -1.0 && x < detail::kInfinity)) return x == -1.0 ? -detail::kInfinity : log(x);
  const detail::Pair sum = detail::two_sum(1.0, x);  // log(1 + x) = log(sum) + log(1 + low / sum)
  const detail::Pair result = detail::log_pair(sum.high);
  return result.high + (result.low + sum.low / sum.high);
}

/// Logarithm to base 2, exact for powers of two.
constexpr double log2(double x) {
  if (!(x > 0.0 && x < detail::kInfinity)) return log(x);
  const detail::Scaled scaled = detail::split_exponent(x);
  const detail::Pair mantissa = detail::log_mantissa(scaled.mantissa);
  return scaled.exponent + (mantissa.high + mantissa.low) * detail::kInverseLn2;
}

/// 2^x, exact for whole numbers.
constexpr double exp2(double x) {
  if (detail::is_nan(x)) return x;
  if (x >= 1024.0) return detail::kInfinity;
  if (x < -1080.0) return 0.0;
  const int k = static_cast<int>(x + (x < 0 ? -0.5 : 0.5));
  const double rest = x - k;  // exact
  const detail::Pair high = detail::two_product(rest, detail::kLn2High);
  const detail::Pair r = detail::two_sum(high.high, high.low + rest * detail::kLn2Low);
  return detail::scale(1.0 + (r.high + (r.low * (1.0 + r.high) + detail::exp_tail(r.high))), k);
}

/// x^y. A negative x takes whole exponents only, others give NaN; special cases as IEEE 754 pow. The logarithm is
/// carried as a pair, so that the error hardly grows with the exponent; whole powers of small numbers are exact.
constexpr double pow(double x, double y) {
  using detail::kInfinity;
  using detail::magnitude;
  if (y == 0.0 || x == 1.0) return 1.0;
  if (detail::is_nan(x) || detail::is_nan(y)) return detail::kNaN;
  const double size = magnitude(x);
  if (magnitude(y) == kInfinity) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? kInfinity : 0.0;
  }
  // Every double from 2^53 on is even; below, the integer part is exact in 64 bits.
  const bool large = magnitude(y) >= 9007199254740992.0;
  const auto integer = large ? std::int64_t{0} : static_cast<std::int64_t>(y);
  const bool whole = large || static_cast<double>(integer) == y;
  const bool negative = std::bit_cast<std::uint64_t>(x) >> 63 != 0;
  const double sign = negative && whole && integer % 2 != 0 ? -1.0 : 1.0;
  if (size == 0.0 || size == kInfinity) return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : kInfinity);
  if (negative && !whole) return detail::kNaN;
  if (size == 1.0) return sign;
  const detail::Pair logarithm = detail::log_pair(size);
  const double exponent = y * logarithm.high;
  if (exponent > 710.0) return sign * kInfinity;
  if (exponent < -746.0) return sign * 0.0;
  detail::Pair product = detail::two_product(y, logarithm.high);
  product.low += y * logarithm.low;
  return sign * detail::exp_pair(product);
}

/// The standard normal distribution function: the chance that a normal value is below x. Relative precision holds in
/// the lower tail too.
double normal_cdf(double x);

/// The inverse of normal_cdf for a probability in [0, 1]: -infinity at 0, infinity at 1, NaN outside.
double normal_quantile(double probability);

/// std::max and std::min by value; of a NaN and a number, the second.
constexpr double larger(double a, double b) { return a > b ? a : b; }
constexpr double smaller(double a, double b) { return a < b ? a : b; }

}  // namespace gpuplan::math
