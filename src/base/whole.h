// Numbers made whole: a double or a wide integer put into a narrower integer. A plain cast of what does not fit is
// undefined behaviour, or quietly another number; these never are.
#pragma once

#include <cassert>
#include <concepts>
#include <limits>
#include <utility>

namespace gpuplan {

/// Whether the whole part of a number fits. False for what is no number.
template <std::integral Whole, class Number>
constexpr bool fits_in(Number value) {
  using Range = std::numeric_limits<Whole>;
  if constexpr (std::integral<Number>) {
    return std::in_range<Whole>(value);
  } else {
    // One more than the greatest is a power of two, and exact as a double; the least is one too, or 0.
    constexpr Whole kHalf = Range::max() / 2 + 1;
    constexpr double kEnd = 2.0 * static_cast<double>(kHalf);
    return value > static_cast<double>(Range::min()) - 1 && value < kEnd;
  }
}

/// The whole part of a number that may be anything: what does not fit becomes the nearest end of the range, and what
/// is no number its lower end.
template <std::integral Whole, class Number>
constexpr Whole clamped(Number value) {
  using Range = std::numeric_limits<Whole>;
  if (fits_in<Whole>(value)) return static_cast<Whole>(value);
  return value > 0 ? Range::max() : Range::min();
}

/// The whole part of a number that checks have made fit. REQUIRES: it fits.
template <std::integral Whole, class Number>
constexpr Whole whole(Number value) {
  assert(fits_in<Whole>(value));
  return clamped<Whole>(value);
}

}  // namespace gpuplan
