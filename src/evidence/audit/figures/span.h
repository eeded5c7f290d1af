// Amounts as the intervals that their digits allow.
#pragma once

#include <string>

#include "evidence/claims/claims.h"

namespace gpuplan {

/// All values that an end of an amount may have; products, sums and quotients of positive amounts.
struct ClaimSpan {
  double low = 0, high = 0;

  friend ClaimSpan operator+(ClaimSpan a, ClaimSpan b) { return {a.low + b.low, a.high + b.high}; }
  friend ClaimSpan operator-(ClaimSpan a, ClaimSpan b) { return {a.low - b.high, a.high - b.low}; }
  friend ClaimSpan operator*(ClaimSpan a, ClaimSpan b) { return {a.low * b.low, a.high * b.high}; }
  friend ClaimSpan operator/(ClaimSpan a, ClaimSpan b) {
    return {a.low / b.high, b.low > 0 ? a.high / b.low : a.high / b.high * 1e6};
  }
  friend ClaimSpan operator*(ClaimSpan a, double factor) { return {a.low * factor, a.high * factor}; }
};

/// The two ends of an amount; equal where it is no range.
struct ClaimEnds {
  ClaimSpan low, high;

  friend ClaimEnds operator+(const ClaimEnds& a, const ClaimEnds& b) { return {a.low + b.low, a.high + b.high}; }
  friend ClaimEnds operator-(const ClaimEnds& a, const ClaimEnds& b) { return {a.low - b.low, a.high - b.high}; }
  friend ClaimEnds operator*(const ClaimEnds& a, const ClaimEnds& b) { return {a.low * b.low, a.high * b.high}; }
  friend ClaimEnds operator/(const ClaimEnds& a, const ClaimEnds& b) { return {a.low / b.high, a.high / b.low}; }
  friend ClaimEnds operator*(const ClaimEnds& a, double factor) { return {a.low * factor, a.high * factor}; }
  double least() const { return low.low; }
  double most() const { return high.high; }
  double low_middle() const { return (low.low + low.high) / 2; }
  double high_middle() const { return (high.low + high.high) / 2; }
};

/// As something is computed from it: half a unit of the last digit either way, more for "~20", nothing for counts.
/// `written`: whole numbers are taken as they stand, as in a sum that is written out.
ClaimEnds ends_of(const ClaimAmount& quantity, bool written = false);
/// An exact number.
ClaimEnds ends_of(double value);

/// What the zeros at the end of a number may hide, as a share of it: "1,090 samples/s" has three digits that count.
double zeros_of(const ClaimAmount& amount);
/// A speed with what its zeros may hide.
ClaimEnds with_zeros(const ClaimAmount& rate);

/// Whether an amount may be the rounding of a computed one, up or down by less than one in its last digit.
bool fits(const ClaimAmount& stated, const ClaimEnds& computed);
/// The same where up to `slack` (1.3: 30%) more than computed is fine, as for times with what stands beside the work.
bool fits_at_least(const ClaimAmount& stated, const ClaimEnds& computed, double slack);

/// Both could be the same value: neither is ruled out by the digits of the other.
bool may_be_same(const ClaimAmount& a, const ClaimAmount& b);

/// "$7.47", "5–8.3 min", "3.9x": an amount of this dimension in words.
std::string told(ClaimDimension dimension, double low, double high);
inline std::string told(ClaimDimension dimension, double value) { return told(dimension, value, value); }
/// The computed value, its middle where digits leave room.
std::string told(ClaimDimension dimension, const ClaimEnds& ends);
/// The same in the currency of `as`, an amount of this kind.
std::string told(const ClaimAmount& as, const ClaimEnds& ends);

}  // namespace gpuplan
