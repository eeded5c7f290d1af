// A quantity that is not known exactly: an 80 % interval around a median.
#pragma once

#include <algorithm>

#include "base/math.h"

namespace gpuplan {

/// Standard normal quantile of 90 %: p10 and p90 lie this many standard deviations from the median.
inline constexpr double kZ90 = 1.2815515655446004;

/// p10, median and p90 of a positive quantity (lognormal) or of one whose p10 is not positive (normal).
/// An exact value has p10 == p50 == p90.
template <class T>
struct Interval {
  T p10{}, p50{}, p90{};

  constexpr bool exact() const { return p10 == p90; }
  constexpr auto operator<=>(const Interval&) const = default;
};

template <class T>
constexpr Interval<T> exactly(T value) {
  return {value, value, value};
}

/// The same share of each quantile. REQUIRES: factor >= 0.
template <class T>
constexpr Interval<T> operator*(const Interval<T>& interval, double factor) {
  return {interval.p10 * factor, interval.p50 * factor, interval.p90 * factor};
}

/// Sum of two quantities that are high and low together.
template <class T>
constexpr Interval<T> operator+(const Interval<T>& a, const Interval<T>& b) {
  return {a.p10 + b.p10, a.p50 + b.p50, a.p90 + b.p90};
}

/// The same where more than `most` cannot be: an engine holds no more than it was given, an allocator what there is.
template <class T>
constexpr Interval<T> at_most(const Interval<T>& interval, T most) {
  return {std::min(interval.p10, most), std::min(interval.p50, most), std::min(interval.p90, most)};
}

/// The interval that a lognormal with this median and standard deviation of the logarithm has.
template <class T>
Interval<T> lognormal(T median, double sigma) {
  const double factor = math::exp(kZ90 * sigma);
  return {median / factor, median, median * factor};
}

/// Standard deviation of the logarithm, 0 for an exact value. REQUIRES: p10 > 0.
template <class T>
double sigma_of(const Interval<T>& interval) {
  return interval.exact() ? 0.0 : math::log(interval.p90 / interval.p10) / (2 * kZ90);
}

/// The value at `z` standard deviations from the median: lognormal when p10 is positive, else normal.
template <class T>
T at(const Interval<T>& interval, double z) {
  if (interval.exact()) return interval.p50;
  if (interval.p10 > T{}) return interval.p50 * math::exp(z * sigma_of(interval));
  return interval.p50 + (interval.p90 - interval.p10) * (z / (2 * kZ90));
}

}  // namespace gpuplan
