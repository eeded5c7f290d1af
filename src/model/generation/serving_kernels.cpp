#include "model/generation/serving_kernels.h"

#include <array>
#include <cstddef>

#include "base/math.h"

namespace gpuplan {

namespace {

/// Multiprocessors of accelerators that do not publish a count: few large ones.
constexpr double kUnknownUnits = 8;

}  // namespace

double multiprocessor_clocks(const Efficiency& efficiency, const Gpu& gpu) {
  return efficiency.fp32_per_sm_clock > 0 ? gpu.fp32.value / efficiency.fp32_per_sm_clock : 0;
}

ServingRate serving_rate(const Efficiency& efficiency, const Gpu& gpu, Format weights, Activations activations,
                         double expansion) {
  const auto runs = [&](Precision precision) { return product_peak(gpu, precision).value > 0; };
  Precision precision = weights == Format::kFp16 ? Precision::kFp16 : Precision::kBf16;
  bool expanded = false;
  double input = 2, cast = 0;
  double floor = efficiency.serve_us;
  if (weights == Format::kFp32) {
    precision = Precision::kFp32;
    input = 4;
  } else if (weights == Format::kFp8 && runs(Precision::kFp8)) {
    precision = Precision::kFp8;
    input = 1;
    cast = detail::kCast8;
    floor = efficiency.serve_us_fp8;
  } else if (weights == Format::kNvfp4 && runs(Precision::kNvfp4)) {
    precision = Precision::kNvfp4;
    input = 0.5625;
    cast = detail::kCast4;
    floor = efficiency.serve_us_fp4;
  } else if (weights == Format::kMxfp4 && runs(Precision::kMxfp8) && gpu.compute_capability >= 10 &&
             gpu.compute_capability < 12) {
    precision = Precision::kMxfp8;
    input = 1;
    cast = detail::kCast8;
    floor = efficiency.serve_us_fp8;
  } else if (bits_of(weights) < 16) {
    expanded = true;
  }
  if (precision == Precision::kBf16 && !runs(precision)) precision = Precision::kFp16;
  // Cards whose 16-bit rate is a token gesture compute in 32 bit.
  if (product_peak(gpu, precision) < gpu.fp32) precision = Precision::kFp32;

  ServingRate rate;
  rate.products = matmul_rate(gpu, efficiency, precision);
  rate.products.byte = Bytes{1} / (gpu.bandwidth * efficiency.serve_bandwidth);
  if (activations == Activations::kEightBit && expanded && gpu.int8.value > 0) {
    // As the 8-bit products that the hardware is measured with, else as the 16-bit ones.
    if (runs(Precision::kFp8)) rate.products = matmul_rate(gpu, efficiency, Precision::kFp8);
    const double reached = runs(Precision::kFp8) ? efficiency.matmul_fp8 : efficiency.matmul;
    rate.products.flop = Flops{1} / (gpu.int8 * reached);
    rate.products.byte = Bytes{1} / (gpu.bandwidth * efficiency.serve_bandwidth);
    input = 1;
    cast = detail::kCast8;
    floor = efficiency.serve_us_fp8;
    expanded = weights == Format::kInt4;
  }
  rate.products.floor = floor * units::microsecond;
  // Without tensor cores nothing is gained by computing a whole tile for one row.
  if (precision == Precision::kFp32 && gpu.fp32.value > 0) rate.plain_flop = Flops{1} / (gpu.fp32 * detail::kPlain);
  rate.weight_bytes = bytes_of(weights);
  rate.input_bytes = input;
  rate.cast_bytes = cast;
  rate.expanded = expanded;
  if (expanded) {
    rate.products.floor += detail::kExpandedFloor * units::microsecond;
    rate.products.flop *= 1 / detail::kExpandedProducts;
    const double bytes = multiprocessor_clocks(efficiency, gpu) * detail::kExpand * expansion;
    if (bytes > 0) rate.expand = Seconds{1 / bytes};
  }
  return rate;
}

Seconds cached_attention_time(const Efficiency& efficiency, const Gpu& gpu, const CachedAttention& a) {
  const double seen = a.window > 0 ? std::min(a.cached + 1, a.window) : a.cached + 1;
  const double vectors = a.batch * seen * a.kv_heads;
  const Bytes cache{(a.latent ? 1 : 2) * vectors * a.head_dim * a.kv_bytes};
  const Seconds reading = cache / (gpu.bandwidth * efficiency.cache_bandwidth);
  const double clock = multiprocessor_clocks(efficiency, gpu) * efficiency.cache_expand * a.expansion;
  const double expanding = a.kv_bytes < 2 && clock > 0 ? cache.value / clock : 0;
  const double flops = 4 * a.batch * seen * a.heads * a.head_dim;
  const FlopsPerSecond top =
      std::max({product_peak(gpu, Precision::kBf16), product_peak(gpu, Precision::kFp16), gpu.fp32});
  const Seconds arithmetic = Flops{flops} / (top * efficiency.attention);
  const double stream = detail::joined(reading.value, expanding, arithmetic.value);
  // Every multiprocessor starts its share of the sequences and key heads one after the other, while it reads.
  const double sms = gpu.sms > 0 ? gpu.sms : kUnknownUnits;
  const double starting = a.waves * a.batch * a.kv_heads / sms * (efficiency.cache_wave_us * units::microsecond).value;
  return Seconds{std::sqrt(stream * stream + starting * starting)} + efficiency.cache_us * a.start * units::microsecond;
}

double seen_pairs(double tokens, double cached, double window) {
  const double all = tokens * (cached + (tokens + 1) * 0.5);
  if (!(window > 0) || cached + tokens <= window) return all;
  // The first tokens may still see everything, one more each.
  const double growing = std::max(window - cached, 0.0);
  return growing * (cached + (growing + 1) * 0.5) + (tokens - growing) * window;
}

Seconds prompt_attention_time(const Efficiency& efficiency, const Gpu& gpu, const CausalAttention& a, double share) {
  const FlopsPerSecond top =
      std::max({product_peak(gpu, Precision::kBf16), product_peak(gpu, Precision::kFp16), gpu.fp32});
  const double pairs = seen_pairs(a.tokens, a.cached, a.window);
  const double last = a.window > 0 ? std::min(a.cached + a.tokens, a.window) : a.cached + a.tokens;
  const double sms = gpu.sms > 0 ? gpu.sms : kUnknownUnits;
  // Pairs that could be done while the multiprocessors with the longest tiles are not ready.
  const double waiting = detail::kLastTile * sms * std::min(detail::kQueryTile, a.tokens) * last;
  const FlopsPerSecond reach = top * share;
  const double pair = 4 * a.head_dim;
  const bool casts = a.kv_bytes < 2 && efficiency.cache_expand > 0;
  const Bytes cast{casts ? detail::kCast8 * a.batch * a.tokens * a.heads * a.head_dim : 0};
  return attention_time(efficiency, reach, pair * a.heads * a.batch * pairs, std::max(1.0, 128 / a.head_dim),
                        2 * pairs / a.tokens) +
         Flops{pair * waiting} / reach + cast / (gpu.bandwidth * efficiency.bandwidth) +
         efficiency.cache_us * units::microsecond;
}

double touched_experts(double tokens, double top_k, double experts) {
  return top_k < experts ? experts * -math::expm1(tokens * math::log1p(-top_k / experts)) : experts;
}

double touched_experts(double tokens, double top_k, double experts, double skew) {
  if (!(skew > 0) || !(top_k < experts)) return touched_experts(tokens, top_k, experts);
  // Popularity is lognormal with mean one; its mean over the normal deviate by Gauss and Hermite's rule of five points
  // (Abramowitz and Stegun 1964, table 25.10).
  constexpr std::array<double, 5> kPoint{-2.8569700138728, -1.3556261799743, 0, 1.3556261799743, 2.8569700138728};
  constexpr std::array<double, 5> kWeight{0.0112574113277, 0.2220759220056, 0.5333333333333, 0.2220759220056,
                                          0.0112574113277};
  constexpr double kMostChosen = 0.98;
  double missed = 0, chosen = 0;
  std::array<double, 5> chance{};
  for (std::size_t i = 0; i < kPoint.size(); ++i) {
    chance[i] = std::min(top_k / experts * math::exp(skew * kPoint[i] - skew * skew / 2), kMostChosen);
    chosen += kWeight[i] * chance[i];
  }
  // A token still chooses `top_k` of them where the most popular would be chosen more than once.
  const double lift = top_k / experts / chosen;
  for (std::size_t i = 0; i < kPoint.size(); ++i)
    missed += kWeight[i] * math::exp(tokens * math::log1p(-std::min(chance[i] * lift, kMostChosen)));
  return math::larger(experts * (1 - missed), math::smaller(top_k, experts));
}

ServingRate experts_rate(const Efficiency& efficiency, const Gpu& gpu, Format weights, double expansion) {
  ServingRate rate = serving_rate(efficiency, gpu, weights, Activations::kAsWeights, expansion);
  const bool eight = rate.input_bytes == 1, four = rate.input_bytes < 1;
  double reached = four ? efficiency.experts_fp4 : eight ? efficiency.experts_fp8 : efficiency.experts;
  if (rate.expanded) reached *= detail::kExpandedExperts;
  rate.products.flop *= 1 / reached;
  rate.products.byte = Bytes{1} / (gpu.bandwidth * efficiency.experts_bandwidth);
  rate.products.floor = efficiency.experts_us * units::microsecond;
  return rate;
}

Seconds experts_time(const ServingRate& rate, const ExpertLayer& layer, double touched) {
  const double rows = layer.tokens * layer.top_k / layer.ep * (1 + layer.skew);
  const double groups = std::max(touched / layer.ep, std::min(1.0, rows));
  const double each = std::max(rows / groups, 1.0);
  const double width = layer.width / layer.tp;
  const Bytes moved{rows * (detail::kRouted * layer.hidden + 2 * layer.matrices * width)};
  // One floor for both products.
  return matmul_time(rate, each, (layer.matrices - 1) * width, layer.hidden, groups) +
         matmul_time(rate, each, layer.hidden, width, groups) - rate.products.floor + moved.value * rate.products.byte;
}

}  // namespace gpuplan
