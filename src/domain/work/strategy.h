// How one phase is cut over GPUs.
#pragma once

#include <cstdint>

#include "base/names.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

/// What data-parallel ranks share out instead of copying (ZeRO stages; zero3 is FSDP full shard, hsdp the same inside
/// a machine with copies on every other one).
enum class Sharding : std::uint8_t { kNone, kZero1, kZero2, kZero3, kHsdp };

template <>
struct Names<Sharding> {
  static constexpr std::array entries = {
      Named<Sharding>{Sharding::kNone, "none"},   Named<Sharding>{Sharding::kZero1, "zero1"},
      Named<Sharding>{Sharding::kZero2, "zero2"}, Named<Sharding>{Sharding::kZero3, "zero3"},
      Named<Sharding>{Sharding::kHsdp, "hsdp"},   Named<Sharding>{Sharding::kNone, "ddp"},
      Named<Sharding>{Sharding::kZero3, "fsdp"},
  };
};

/// True when weights are shared out too and gathered when they are used.
constexpr bool shards_weights(Sharding sharding) { return sharding == Sharding::kZero3 || sharding == Sharding::kHsdp; }

enum class Recompute : std::uint8_t { kNone, kSelective, kFull };

template <>
struct Names<Recompute> {
  static constexpr std::array entries = {
      Named<Recompute>{Recompute::kNone, "none"},
      Named<Recompute>{Recompute::kSelective, "selective"},
      Named<Recompute>{Recompute::kFull, "full"},
  };
};

/// What lies in host memory: a set of three, one bit each.
enum class Offload : std::uint8_t {
  kNone = 0,
  kOptimizer = 1,
  kParams = 2,
  kOptimizerParams = 3,
  kActivations = 4,
  kOptimizerActivations = 5,
  kParamsActivations = 6,
  kAll = 7,
};

template <>
struct Names<Offload> {
  static constexpr std::array entries = {
      Named<Offload>{Offload::kNone, "none"},
      Named<Offload>{Offload::kOptimizer, "optimizer"},
      Named<Offload>{Offload::kParams, "params"},
      Named<Offload>{Offload::kOptimizerParams, "optimizer+params"},
      Named<Offload>{Offload::kActivations, "activations"},
      Named<Offload>{Offload::kOptimizerActivations, "optimizer+activations"},
      Named<Offload>{Offload::kParamsActivations, "params+activations"},
      Named<Offload>{Offload::kAll, "optimizer+params+activations"},
  };
};

/// True when all of `part` lies in host memory.
constexpr bool includes(Offload whole, Offload part) {
  return (static_cast<unsigned>(whole) & static_cast<unsigned>(part)) == static_cast<unsigned>(part);
}

/// kFlash: the best fused kernel that the framework ships for the GPU; the others are named ones.
enum class AttentionKernel : std::uint8_t { kEager, kFlash, kFlash1, kFlash2, kFlash3, kCudnn };

template <>
struct Names<AttentionKernel> {
  static constexpr std::array entries = {
      Named<AttentionKernel>{AttentionKernel::kEager, "eager"},
      Named<AttentionKernel>{AttentionKernel::kFlash, "flash"},
      Named<AttentionKernel>{AttentionKernel::kFlash1, "flash1"},
      Named<AttentionKernel>{AttentionKernel::kFlash2, "flash2"},
      Named<AttentionKernel>{AttentionKernel::kFlash3, "flash3"},
      Named<AttentionKernel>{AttentionKernel::kCudnn, "cudnn"},
      Named<AttentionKernel>{AttentionKernel::kFlash, "sdpa"},
  };
};

/// Where several models go: one after the other on all GPUs, or one on each GPU at the same time.
enum class Placement : std::uint8_t { kInTurn, kOneModelPerGpu };

template <>
struct Names<Placement> {
  static constexpr std::array entries = {
      Named<Placement>{Placement::kInTurn, "split"},
      Named<Placement>{Placement::kOneModelPerGpu, "one_model_per_gpu"},
  };
};

/// Degrees multiply to the GPUs used: dp * tp * pp * cp. Expert parallelism lies inside dp.
/// For generation dp counts replicas.
struct Strategy {
  std::int32_t dp = 1, tp = 1, pp = 1, cp = 1, ep = 1;
  std::int32_t micro_batch = 1;  ///< sequences a replica and forward pass
  std::int32_t grad_accum = 1;
  std::int32_t interleave = 1;  ///< virtual pipeline stages a rank (1: plain 1F1B)
  Sharding sharding = Sharding::kNone;
  Recompute recompute = Recompute::kNone;
  Offload offload = Offload::kNone;
  AttentionKernel attention = AttentionKernel::kFlash;
  Placement placement = Placement::kInTurn;
  bool compile = false;
  Precision precision = Precision::kBf16;
  Format weights = Format::kBf16;  ///< generation: how weights are stored
  std::int16_t framework = -1;     ///< index in the catalogue; -1 none

  int gpus() const { return dp * tp * pp * cp; }
  bool operator==(const Strategy&) const = default;
};

}  // namespace gpuplan
