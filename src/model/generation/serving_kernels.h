// What one GPU needs for the operations of a network that is served: products of few rows with weights of few bits,
// attention over a cache, layers of experts. Constants come from data/efficiency.csv, where tools/kernels puts what it
// fits to published times of kernels; nothing here knows of models, engines or strategies.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "domain/facts/catalogue.h"
#include "model/compute.h"

namespace gpuplan {

/// Clocks of all multiprocessors together, a second; zero where nobody says how many there are.
double multiprocessor_clocks(const Efficiency& efficiency, const Gpu& gpu);

/// Constants of products with stored weights on one GPU.
struct ServingRate {
  MatmulRate products;      ///< of the format they run in; its `byte` and `floor` are those of serving
  double weight_bytes = 2;  ///< of a stored weight, scales included
  double input_bytes = 2;   ///< of an element of the activations
  Seconds plain_flop{};     ///< an operation in a few rows without tensor cores; zero: with them
  double cast_bytes = 0;    ///< traffic of casting an element of the activations, a kernel of its own
  Seconds copy_byte{};      ///< moving a byte where weights pass through a copy in 16 bit in memory; zero: they do not
  bool expanded = false;    ///< weights are expanded to 16 bit on the fly
  Seconds expand{};         ///< a stored byte of weights that are; zero: takes no time that is known
};

/// What the input of a product is stored in. Weights of int8 and int4 are expanded to 16 bit, unless the activations
/// have 8 bits too.
enum class Activations { kAsWeights, kEightBit };

/// Rates of products with weights of this format: run in it where the hardware can, expanded to 16 bit on the fly where
/// not. `expansion`: rate of the engine's kernels at that over good ones. Cards without products of 16 bit run them in
/// 32.
ServingRate serving_rate(const Efficiency& efficiency, const Gpu& gpu, Format weights,
                         Activations activations = Activations::kAsWeights, double expansion = 1);

namespace detail {

// Constants that no generation differs in, from the same tables.

/// Tiles of 16 rows, the least that tensor cores compute, and of 32 reach this share of the rate of large ones.
inline constexpr double kRate16 = 0.65;
inline constexpr double kRate32 = 0.7;
/// Share of the 32-bit peak that products of a few rows reach on cards without tensor cores.
inline constexpr double kPlain = 0.6;
/// Stored bytes of weights that a multiprocessor expands to 16 bit in a clock, in good kernels.
inline constexpr double kExpand = 20;
/// Rate of products with expanded weights over that of plain ones; for experts once more.
inline constexpr double kExpandedProducts = 0.9;
inline constexpr double kExpandedExperts = 0.72;
/// What expansion adds to the floor of a product, in microseconds.
inline constexpr double kExpandedFloor = 5.5;
/// Bytes read and written to cast an activation of 16 bit to 8 (its largest value is looked for first) and to 4.
inline constexpr double kCast8 = 8;
inline constexpr double kCast4 = 3;
/// Part of the time of the last tile of queries (of so many tokens) of a prompt in which other multiprocessors wait.
inline constexpr double kLastTile = 0.5;
inline constexpr double kQueryTile = 128;
/// Bytes moved for each element of a routed token: sorted, brought to its expert, taken back and added up.
inline constexpr double kRouted = 4;

inline double fourth(double x) { return x * x * x * x; }

/// The 4-norm of three times: near the largest.
inline double joined(double a, double b, double c) { return std::sqrt(std::sqrt(fourth(a) + fourth(b) + fourth(c))); }

}  // namespace detail

/// Time of `groups` products of `rows` inputs with weights of columns x inner each, run as one kernel: as matmul_time
/// of model/compute.h, with low tiles for few rows, and with weights that are read in their own format and expanded.
/// Right from one row to tens of thousands.
inline Seconds matmul_time(const ServingRate& rate, double rows, double columns, double inner, double groups = 1) {
  const MatmulRate& r = rate.products;
  const double inverse_sms = 1 / r.sms;
  const double columns128 = std::ceil(columns * (1.0 / 128));
  const auto cost = [&](double tiles, double area) { return detail::tiled(r, tiles, inverse_sms, inner, area); };
  double best = cost(std::ceil(rows * (1.0 / 64)) * groups * columns128, 64.0 * 128 / 0.75);
  if (rows > 64) {
    const double columns256 = std::ceil(columns * (1.0 / 256));
    const double rows128 = std::ceil(rows * (1.0 / 128)) * groups;
    best = std::min({best, cost(rows128 * columns256, 128.0 * 256), cost(rows128 * columns128, 128.0 * 128 / 0.93)});
  } else {
    best = std::min({best, cost(std::ceil(rows * (1.0 / 16)) * groups * columns128, 16.0 * 128 / detail::kRate16),
                     cost(std::ceil(rows * (1.0 / 32)) * groups * columns128, 32.0 * 128 / detail::kRate32)});
  }
  const double products = rows * inner * columns * groups;
  double compute = 2 * r.sms * best * r.flop.value;
  if (rate.plain_flop.value > 0) compute = std::min(compute, 2 * products * rate.plain_flop.value);
  const double weights = rate.weight_bytes * inner * columns * groups;
  if (rate.copy_byte.value > 0 && rows > 1) {
    // Kernels that multiply with the stored weights serve one row; more go through a copy that is written and read.
    const double copy = 2 * inner * columns * groups;
    const double moved = copy + (rate.input_bytes * inner * rows + 2 * rows * columns) * groups;
    return Seconds{detail::joined(compute, moved * rate.copy_byte.value, 0) + (weights + copy) * rate.copy_byte.value} +
           2 * r.floor;
  }
  const double traffic = (weights + (rate.input_bytes * inner * rows + 2 * rows * columns) * groups) * r.byte.value;
  const double casting = rate.cast_bytes * inner * rows * groups * r.byte.value;
  return Seconds{detail::joined(compute, traffic, weights * rate.expand.value) + casting} + r.floor;
}

/// Attention of one new token for each of a number of sequences, one layer.
struct CachedAttention {
  double batch = 1;
  double heads = 1;
  double kv_heads = 1;
  double head_dim = 128;  ///< mean of key and value; of the one vector that is both under latent attention
  double kv_bytes = 2;    ///< of a cached element
  double cached = 1;      ///< tokens before the new one, mean of the sequences
  double window = 0;      ///< tokens that are seen at most; 0: all
  bool latent = false;    ///< key and value of a token are one vector
  double expansion = 1;   ///< rate at which the kernel expands an 8-bit cache over that of the tables
  double start = 1;       ///< its floor over that of the tables
  double waves = 1;       ///< the start of a piece of work over that of the tables
};

/// Reads the cache of every sequence once: memory traffic, the start of a piece of work for each sequence and key head,
/// and where many heads share a key the arithmetic.
Seconds cached_attention_time(const Efficiency& efficiency, const Gpu& gpu, const CachedAttention& attention);

/// Causal attention of a number of prompts, one layer.
struct CausalAttention {
  double batch = 1;
  double tokens = 1;  ///< new ones of each prompt
  double cached = 0;  ///< before them, already in the cache
  double heads = 1;
  double head_dim = 128;  ///< mean of key and value
  double kv_bytes = 2;
  double window = 0;  ///< tokens that are seen at most; 0: all
};

/// Pairs of a token and one that it sees, for one prompt.
double seen_pairs(double tokens, double cached, double window);

/// As attention_time of model/compute.h for a kernel that reaches `share` of the peak on long prompts, and what matters
/// for short ones: tiles of queries that do not fill the multiprocessors, the cast of queries where kernels for a cache
/// of 8 bits want them so too, and a floor.
Seconds prompt_attention_time(const Efficiency& efficiency, const Gpu& gpu, const CausalAttention& attention,
                              double share);

/// A layer of routed experts on one GPU.
struct ExpertLayer {
  double tokens = 1;  ///< that are routed, on all GPUs that share the experts
  double hidden = 1;
  double width = 1;  ///< of one expert
  double top_k = 1;
  double experts = 1;
  double tp = 1;        ///< ranks that each hold a part of every expert
  double ep = 1;        ///< ranks that hold whole experts
  double matrices = 3;  ///< of an expert: 3 gated, 2 not
  double skew = 0;      ///< rows of the busiest of the ep ranks over the mean, less one
};

/// Share of `experts` that `tokens` tokens reach when each chooses `top_k` of them with equal chances.
double touched_experts(double tokens, double top_k, double experts);

/// The same where experts are not equally popular: the logarithm of how often one is chosen has the deviation `skew`.
double touched_experts(double tokens, double top_k, double experts, double skew);

/// Rates of the grouped products of experts on one GPU; its floor is that of the whole layer.
ServingRate experts_rate(const Efficiency& efficiency, const Gpu& gpu, Format weights, double expansion = 1);

/// Time of the layer on one GPU, without communication, when its tokens use `touched` of the experts on all GPUs: two
/// grouped products, in which every expert that is used reads its weights, and the way of the tokens to them and back.
Seconds experts_time(const ServingRate& rate, const ExpertLayer& layer, double touched);

/// The same with touched_experts of its tokens.
inline Seconds experts_time(const ServingRate& rate, const ExpertLayer& layer) {
  return experts_time(rate, layer, touched_experts(layer.tokens, layer.top_k, layer.experts));
}

}  // namespace gpuplan
