// A training run that somebody measured: its configuration as far as it is known, and what came out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "domain/model_shape.h"
#include "domain/phase.h"
#include "domain/strategy.h"

namespace gpuplan {

/// What a figure of memory counts. kUnknown: the source does not say.
enum class MemoryKind { kUnknown, kAllocated, kActive, kReserved, kDevice };
template <>
struct Names<MemoryKind> {
  static constexpr std::array entries = {
      Named<MemoryKind>{MemoryKind::kUnknown, "unknown"}, Named<MemoryKind>{MemoryKind::kAllocated, "allocated"},
      Named<MemoryKind>{MemoryKind::kActive, "active"},   Named<MemoryKind>{MemoryKind::kReserved, "reserved"},
      Named<MemoryKind>{MemoryKind::kDevice, "device"},
  };
};

/// One measured configuration. A field without a value was not stated.
struct TrainingRun {
  std::string id, source;
  Place place;      ///< of its row
  std::string gpu;  ///< as written
  std::optional<double> gpu_power_w;
  std::optional<int> gpus, gpus_per_node;
  std::optional<bool> nvlink;             ///< inside a machine; false: PCIe
  std::optional<double> inter_node_gbps;  ///< Gbit/s of one machine
  std::string framework, model;
  std::optional<ModelShape> shape;  ///< complete; nullopt: not even the size is known
  std::optional<double> sequence;   ///< tokens
  std::optional<double> micro_batch, grad_accum, global_batch;
  std::optional<int> dp, tp, pp, vpp, cp, ep;
  std::optional<bool> sequence_parallel;
  std::optional<Sharding> sharding;
  std::optional<Recompute> recompute;
  std::optional<Precision> precision;
  std::optional<Format> master_weights, optimizer_state;  ///< fp32 or bf16; int8 for 8-bit states
  std::optional<Optimizer> optimizer;
  std::optional<Offload> offload;
  std::optional<Method> method;
  bool from_scratch = false;  ///< pretraining; else fine-tuning
  std::optional<int> lora_rank;
  std::optional<AttentionKernel> attention;
  std::optional<bool> compile;

  std::optional<Seconds> step;                ///< one optimizer step
  std::optional<TokensPerSecond> token_rate;  ///< of one GPU
  std::optional<Bytes> memory;                ///< of the fullest GPU, at its peak
  MemoryKind memory_kind = MemoryKind::kUnknown;

  std::vector<std::string> assumptions;  ///< what reading had to assume, such as a shape from the size alone
};

}  // namespace gpuplan
