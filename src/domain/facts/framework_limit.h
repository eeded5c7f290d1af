// What a framework can not do although the columns of data/frameworks.csv, each by itself, say that it can: networks
// that it does not have, and combinations that it refuses.
#pragma once

#include <cstdint>
#include <string>

#include "base/names.h"

namespace gpuplan {

enum class FrameworkLimit : std::uint8_t {
  // Of networks and of what training starts from.
  kDecoders,        ///< networks that write text
  kText,            ///< networks that read or write text: none of pictures
  kPublished,       ///< no networks of the user's own
  kScratch,         ///< no weights that somebody published
  kGpt2,            ///< networks like GPT-2, and of weights those of GPT-2
  kNanochat,        ///< one shape for each depth, width and head
  kTorchtitan,      ///< decoders like those of Llama, Qwen 3 and DeepSeek V3
  kMegatron,        ///< norms, biases and experts that its flags can say
  kLlamaKin,        ///< decoders whose layers are called as Llama's: RMS norms, gated MLPs, rotary positions
  kRegularWindows,  ///< windows in all layers but every N-th
  kLlamaPipeline,   ///< pipeline stages of networks like Llama's and DeepSeek's only
  kNextToken,       ///< no objective but the next token
  kWideMaster,      ///< no training in pure bf16
  kJoins,           ///< samples are always joined to full sequences
  // Of strategies.
  kCutsShard,             ///< no copies of the whole model beside tensor or pipeline parallelism
  kOffloadShards,         ///< only what is sharded goes to host memory
  kEvenParts,             ///< layers divide over the stages of an interleaved pipeline
  kOffloadAdam,           ///< only states of Adam go to host memory
  kOffloadCpuAdam,        ///< what goes to host memory is updated by DeepSpeed's AdamW or Lion, whatever was asked for
  kOffloadCpuAdamWhole,   ///< the same where DeepSpeed does it: where gradients and weights are not sharded
  kContextFlash,          ///< context parallelism needs fused attention
  kContextPacked,         ///< packed sequences under context parallelism one at a time
  kShardsBytes,           ///< no optimizers of bitsandbytes but 8-bit AdamW on sharded gradients
  kTensorPaged,           ///< no paged optimizer under tensor parallelism
  kAdaptersWhole,         ///< no adapters beside tensor or pipeline parallelism
  kShardsExperts,         ///< no sharded experts that are modules of their own
  kShardsAdaptedExperts,  ///< the same where adapters learn beside them
  kWideCuts,              ///< of axolotl, what its DeepSpeed lacks: cuts, shards with copies, Muon
  kEvenSequence,          ///< sequences divide over the ranks that share them
  kPipelineWhole,         ///< gradients and weights whole in each pipeline stage
  // Of hardware that the columns leave out: why, and what to take instead.
  kOldGpus,  ///< those below its least compute capability
  kAmd,      ///< those of AMD
};
template <>
struct Names<FrameworkLimit> {
  static constexpr std::array entries = {
      Named<FrameworkLimit>{FrameworkLimit::kDecoders, "decoders"},
      Named<FrameworkLimit>{FrameworkLimit::kText, "text"},
      Named<FrameworkLimit>{FrameworkLimit::kPublished, "published"},
      Named<FrameworkLimit>{FrameworkLimit::kScratch, "scratch"},
      Named<FrameworkLimit>{FrameworkLimit::kGpt2, "gpt2"},
      Named<FrameworkLimit>{FrameworkLimit::kNanochat, "nanochat"},
      Named<FrameworkLimit>{FrameworkLimit::kTorchtitan, "torchtitan"},
      Named<FrameworkLimit>{FrameworkLimit::kMegatron, "megatron"},
      Named<FrameworkLimit>{FrameworkLimit::kLlamaKin, "llama_kin"},
      Named<FrameworkLimit>{FrameworkLimit::kRegularWindows, "regular_windows"},
      Named<FrameworkLimit>{FrameworkLimit::kLlamaPipeline, "llama_pipeline"},
      Named<FrameworkLimit>{FrameworkLimit::kNextToken, "next_token"},
      Named<FrameworkLimit>{FrameworkLimit::kWideMaster, "fp32_weights"},
      Named<FrameworkLimit>{FrameworkLimit::kJoins, "joins_samples"},
      Named<FrameworkLimit>{FrameworkLimit::kCutsShard, "cuts_shard"},
      Named<FrameworkLimit>{FrameworkLimit::kOffloadShards, "offload_shards"},
      Named<FrameworkLimit>{FrameworkLimit::kEvenParts, "even_parts"},
      Named<FrameworkLimit>{FrameworkLimit::kOffloadAdam, "offload_adam"},
      Named<FrameworkLimit>{FrameworkLimit::kOffloadCpuAdam, "offload_cpu_adam"},
      Named<FrameworkLimit>{FrameworkLimit::kOffloadCpuAdamWhole, "offload_cpu_adam_unsharded"},
      Named<FrameworkLimit>{FrameworkLimit::kContextFlash, "context_flash"},
      Named<FrameworkLimit>{FrameworkLimit::kContextPacked, "context_packed"},
      Named<FrameworkLimit>{FrameworkLimit::kShardsBytes, "shards_bitsandbytes"},
      Named<FrameworkLimit>{FrameworkLimit::kTensorPaged, "tensor_paged"},
      Named<FrameworkLimit>{FrameworkLimit::kAdaptersWhole, "adapters_whole"},
      Named<FrameworkLimit>{FrameworkLimit::kShardsExperts, "shards_experts"},
      Named<FrameworkLimit>{FrameworkLimit::kShardsAdaptedExperts, "shards_adapted_experts"},
      Named<FrameworkLimit>{FrameworkLimit::kWideCuts, "wide_cuts"},
      Named<FrameworkLimit>{FrameworkLimit::kEvenSequence, "even_sequence"},
      Named<FrameworkLimit>{FrameworkLimit::kPipelineWhole, "pipeline_whole"},
      Named<FrameworkLimit>{FrameworkLimit::kOldGpus, "old_gpus"},
      Named<FrameworkLimit>{FrameworkLimit::kAmd, "amd"},
  };
};

/// A row of data/framework_limits.csv. domain/facts/limits.h says what meets it.
struct LimitRow {
  FrameworkLimit limit = FrameworkLimit::kPublished;
  std::string what;     ///< follows the name of the framework: "has no DDP beside tensor or pipeline parallelism"
  std::string instead;  ///< what to write in the job: "parallel: {sharding: zero2}"
  std::string source, as_of;

  bool operator==(const LimitRow&) const = default;
};

}  // namespace gpuplan
