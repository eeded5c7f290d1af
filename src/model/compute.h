// What one GPU needs for the operations that networks are made of: matrix products, fused attention and passes over
// memory. Constants come from data/efficiency.csv; nothing here knows of models or strategies.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "domain/catalogue.h"

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

/// Output tiles that libraries choose from, and the share of the rate that each reaches: small tiles load more for
/// each operation. The shares are one for all generations and formats (kernel tables, 2026).
struct Tile {
  double inverse_rows, inverse_columns, area_cost;
};
inline constexpr Tile kTiles[] = {{1.0 / 128, 1.0 / 256, 128.0 * 256 / 1.0},
                                  {1.0 / 128, 1.0 / 128, 128.0 * 128 / 0.93},
                                  {1.0 / 64, 1.0 / 128, 64.0 * 128 / 0.75},
                                  {1.0 / 64, 1.0 / 64, 64.0 * 64 / 0.68}};

}  // namespace detail

/// Time of `groups` products C[rows, columns] = A[rows, inner] B[inner, columns] run as one kernel. Compute is the
/// best of a few tilings, each in one of two ways: whole tiles in waves over the multiprocessors, quantised as far as
/// the generation does so, with a start and end of `k_half` elements; or the inner dimension divided so that all
/// multiprocessors have the same work, at the price of `k_split` elements for adding up the parts (split-K, stream-K:
/// Osama et al. 2023, arXiv:2301.03598). Traffic is both inputs and a 16-bit output; the two join in a 4-norm, which is
/// near their maximum. Constants: tools/kernels/fit.cpp.
inline Seconds matmul_time(const MatmulRate& rate, double rows, double columns, double inner, double groups = 1) {
  double cost = 0;
  for (const detail::Tile& tile : detail::kTiles) {
    const double tiles = std::ceil(rows * tile.inverse_rows) * std::ceil(columns * tile.inverse_columns) * groups;
    const double waves = tiles / rate.sms;
    const double quantised = std::max(rate.wave * std::ceil(waves) + (1 - rate.wave) * waves, 1.0);
    const double whole = quantised * (inner + rate.k_half);
    const double divided = waves * inner + std::max(waves, 1.0) * rate.k_split;
    const double one = std::min(whole, divided) * tile.area_cost;
    cost = cost == 0 ? one : std::min(cost, one);
  }
  const double compute = 2 * rate.sms * cost * rate.flop.value;
  const double traffic =
      (rate.operand_bytes * inner * (rows + columns) + 2 * rows * columns) * groups * rate.byte.value;
  const double c2 = compute * compute;
  const double t2 = traffic * traffic;
  return Seconds{std::sqrt(std::sqrt(c2 * c2 + t2 * t2))} + rate.floor;
}

/// Time of fused attention forward over `flops` operations of a kernel that reaches `reach` on long sequences with
/// heads of 128. Sequences of `length` tokens fill the multiprocessors the less the shorter they are. The softmax takes
/// the same time for each pair of tokens whatever the width of the heads, so narrow heads (`narrow`: 128 over their
/// width) wait for it; wider ones gain nothing. Constants: tools/kernels/fit.cpp.
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
