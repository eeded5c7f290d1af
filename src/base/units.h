// Amounts with units: one double and five exponents that the compiler checks, so that a price can not be
// added to a time and a rate can not be mistaken for its reciprocal.
#pragma once

#include <compare>

namespace gpuplan {

/// A value in base units (byte, floating-point operation, second, US dollar, token), each to the given power.
template <int Byte, int Flop, int Second, int Dollar, int Token>
struct Quantity {
  double value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double base_units) : value(base_units) {}

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    value *= factor;
    return *this;
  }
  constexpr Quantity& operator/=(double factor) {
    value /= factor;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.value}; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity{a.value * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity{a.value * factor}; }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity{a.value / divisor}; }
  /// Amounts of one kind divide to a plain number.
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

template <int B1, int F1, int S1, int D1, int T1, int B2, int F2, int S2, int D2, int T2>
  requires(B1 != B2 || F1 != F2 || S1 != S2 || D1 != D2 || T1 != T2)
constexpr auto operator/(Quantity<B1, F1, S1, D1, T1> a, Quantity<B2, F2, S2, D2, T2> b) {
  return Quantity<B1 - B2, F1 - F2, S1 - S2, D1 - D2, T1 - T2>{a.value / b.value};
}

template <int B1, int F1, int S1, int D1, int T1, int B2, int F2, int S2, int D2, int T2>
constexpr auto operator*(Quantity<B1, F1, S1, D1, T1> a, Quantity<B2, F2, S2, D2, T2> b) {
  if constexpr (B1 + B2 == 0 && F1 + F2 == 0 && S1 + S2 == 0 && D1 + D2 == 0 && T1 + T2 == 0) {
    return a.value * b.value;
  } else {
    return Quantity<B1 + B2, F1 + F2, S1 + S2, D1 + D2, T1 + T2>{a.value * b.value};
  }
}

template <int B, int F, int S, int D, int T>
constexpr auto operator/(double a, Quantity<B, F, S, D, T> b) {
  return Quantity<-B, -F, -S, -D, -T>{a / b.value};
}

using Bytes = Quantity<1, 0, 0, 0, 0>;
using Flops = Quantity<0, 1, 0, 0, 0>;
using Seconds = Quantity<0, 0, 1, 0, 0>;
using Dollars = Quantity<0, 0, 0, 1, 0>;
using Tokens = Quantity<0, 0, 0, 0, 1>;
using BytesPerSecond = Quantity<1, 0, -1, 0, 0>;
using FlopsPerSecond = Quantity<0, 1, -1, 0, 0>;
using TokensPerSecond = Quantity<0, 0, -1, 0, 1>;
using PerSecond = Quantity<0, 0, -1, 0, 0>;
using DollarsPerSecond = Quantity<0, 0, -1, 1, 0>;
using DollarsPerByte = Quantity<-1, 0, 0, 1, 0>;
using DollarsPerByteSecond = Quantity<-1, 0, -1, 1, 0>;

namespace units {  // 80 * GiB, 3.35 * TB / second, 2.49 * dollar / hour
inline constexpr Bytes byte{1}, KB{1e3}, MB{1e6}, GB{1e9}, TB{1e12};
inline constexpr Bytes KiB{1024.0}, MiB{1024.0 * 1024}, GiB{1024.0 * 1024 * 1024}, TiB{1024.0 * 1024 * 1024 * 1024};
inline constexpr Flops flop{1}, TFLOP{1e12};
inline constexpr Seconds microsecond{1e-6}, millisecond{1e-3}, second{1}, minute{60}, hour{3600}, day{86400};
inline constexpr Seconds month{730.0 * 3600};  // cloud price lists count 730 hours a month
inline constexpr Dollars dollar{1};
inline constexpr Tokens token{1};
}  // namespace units

}  // namespace gpuplan
