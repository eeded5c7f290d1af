// What one GPU needs for the operations that networks are made of: matrix products, fused attention and passes over
// memory. Constants come from data/efficiency.csv; nothing here knows of models or strategies.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// The row that fits a GPU best: its own architecture before "*", its own kind of memory before "*". Built-in
/// defaults when the catalogue has no rows.
const Efficiency& efficiency_of(const Catalogue& catalogue, const Gpu& gpu);

/// Constants of matrix products of one number format on one GPU.
struct MatmulRate {
  Seconds flop{};         ///< one operation at the highest rate reached; zero: the hardware lacks the format
  double k_half = 200;    ///< inner dimension at which half of that is lost
  double k_split = 1500;  ///< inner elements that dividing the inner dimension among multiprocessors costs
  double wave = 0.5;      ///< 1: whole waves of tiles only; 0: work spread evenly
  double sms = 100;
  Seconds floor{};           ///< of one kernel
  Seconds byte{};            ///< one byte of memory traffic
  double operand_bytes = 2;  ///< an input element
};

/// Peak of matrix products as software runs them: with 32-bit sums, so that cards before Volta, which have no tensor
/// cores, run 16-bit products at their 32-bit rate.
FlopsPerSecond product_peak(const Gpu& gpu, Precision precision);

/// Rates of products of this precision; `flop` is zero when the hardware does not have it.
MatmulRate matmul_rate(const Gpu& gpu, const Efficiency& efficiency, Precision precision);

namespace detail {

/// Compute time of one tiling, in results of a multiprocessor times elements of the inner dimension.
inline double tiled(const MatmulRate& rate, double tiles, double inverse_sms, double inner, double area) {
  const double waves = tiles * inverse_sms;
  constexpr double kRounding = 1e-9;  // a whole number of waves is one, whatever the last bit of the product says
  const double quantised = std::max(waves + rate.wave * (std::ceil(waves - kRounding) - waves), 1.0);
  const double whole = quantised * (inner + rate.k_half);
  const double divided = waves * inner + std::max(waves, 1.0) * rate.k_split;
  return std::min(whole, divided) * area;
}

}  // namespace detail

/// Time of `groups` products C[rows, columns] = A[rows, inner] B[inner, columns] run as one kernel. Compute is the
/// best of a few tilings, each in one of two ways: whole tiles in waves over the multiprocessors, quantised as far as
/// the generation does so, with a start and end of `k_half` elements; or the inner dimension divided so that all
/// multiprocessors have the same work, at the price of `k_split` elements for adding up the parts (split-K, stream-K:
/// Osama et al. 2023, arXiv:2301.03598). Traffic is both inputs and a 16-bit output; the two join in a 4-norm, which is
/// near their maximum. Constants: tools/kernels.
inline Seconds matmul_time(const MatmulRate& rate, double rows, double columns, double inner, double groups = 1) {
  const double inverse_sms = 1 / rate.sms;
  const double rows128 = std::ceil(rows * (1.0 / 128)) * groups;
  const double rows64 = std::ceil(rows * (1.0 / 64)) * groups;
  const double columns256 = std::ceil(columns * (1.0 / 256));
  const double columns128 = std::ceil(columns * (1.0 / 128));
  const double columns64 = std::ceil(columns * (1.0 / 64));
  // Small tiles load more for each operation: 128 x 128 results reach 0.93 of the rate of 128 x 256, 64 x 128 0.75 and
  // 64 x 64 0.68, in all generations and formats (kernel tables, 2026).
  const auto cost = [&](double tiles, double area) { return detail::tiled(rate, tiles, inverse_sms, inner, area); };
  const double large =
      std::min(cost(rows128 * columns256, 128.0 * 256), cost(rows128 * columns128, 128.0 * 128 / 0.93));
  const double small =
      std::min(cost(rows64 * columns128, 64.0 * 128 / 0.75), cost(rows64 * columns64, 64.0 * 64 / 0.68));
  const double compute = 2 * rate.sms * std::min(large, small) * rate.flop.value;
  const double traffic =
      (rate.operand_bytes * inner * (rows + columns) + 2 * rows * columns) * groups * rate.byte.value;
  const double c2 = compute * compute;
  const double t2 = traffic * traffic;
  return Seconds{std::sqrt(std::sqrt(c2 * c2 + t2 * t2))} + rate.floor;
}

/// Time of fused attention forward over `flops` operations of a kernel that reaches `reach` on long sequences with
/// heads of 128. Sequences of `length` tokens fill the multiprocessors the less the shorter they are. The softmax takes
/// the same time for each pair of tokens whatever the width of the heads, so narrow heads (`narrow`: 128 over their
/// width) wait for it; wider ones gain nothing. Constants: tools/kernels.
inline Seconds attention_time(const Efficiency& efficiency, FlopsPerSecond reach, double flops, double narrow,
                              double length) {
  const double softmax = efficiency.attention_softmax;
  return Seconds{flops / reach.value * (1 + softmax * narrow) / (1 + softmax) *
                 (1 + efficiency.attention_short / length)};
}

/// The 4-norm of two times: near the larger one, above it where both matter.
inline Seconds overlapped(Seconds a, Seconds b) {
  const double a2 = a.value * a.value;
  const double b2 = b.value * b.value;
  return Seconds{std::sqrt(std::sqrt(a2 * a2 + b2 * b2))};
}

}  // namespace gpuplan
