// A training run that somebody measured: its configuration as far as it is known, and what came out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "domain/work/phase.h"
#include "domain/work/strategy.h"
#include "evidence/validation/measured_run.h"

namespace gpuplan {

/// One measured configuration. A field without a value was not stated.
struct TrainingRun : MeasuredRun {
  std::optional<double> sequence;  ///< tokens
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
  std::optional<bool> compiled_loss;        ///< with the layers; else it runs operation by operation beside them
  std::optional<bool> fused_kernels;        ///< norms, rotary embeddings, gates and loss are a kernel each
  std::optional<bool> fused_optimizer;      ///< its step is one kernel
  std::optional<double> recomputed_layers;  ///< share of the layers that are recomputed whole; the others not at all

  // What plans say beside (own runs).
  bool settled = false;                                  ///< nothing is left open: the rest is as plans have it
  std::optional<double> mean_tokens;                     ///< of sequences that are not packed
  std::optional<Optimizer> optimizer_rest;               ///< for embeddings, norms and biases
  std::optional<std::vector<std::string>> lora_targets;  ///< of kLoraTargets; empty: all linear layers
  std::optional<double> trainable;                       ///< parameters that learn beside frozen networks

  std::optional<Seconds> step;                ///< one optimizer step
  std::optional<TokensPerSecond> token_rate;  ///< of one GPU
};

}  // namespace gpuplan
