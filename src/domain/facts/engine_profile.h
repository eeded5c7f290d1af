// What sets inference engines apart: how they start kernels, batch requests and use memory, and which formats they
// read.
#pragma once

#include <string>

#include "base/names.h"
#include "base/unset.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

/// Attention over prompts: the vendor's newest fused kernel, the one that most software ships (flash 2), or scores that
/// are written to memory.
enum class PromptAttention { kNewest, kCommon, kScores };
template <>
struct Names<PromptAttention> {
  static constexpr std::array entries = {
      Named<PromptAttention>{PromptAttention::kNewest, "newest"},
      Named<PromptAttention>{PromptAttention::kCommon, "common"},
      Named<PromptAttention>{PromptAttention::kScores, "scores"},
  };
};

/// A row of data/engines.csv, by Framework::name; "*" serves engines with CUDA graphs that have no row, "*eager" those
/// without.
struct EngineProfile {
  std::string name;
  unsigned formats = 0;           ///< bit for each Format of weights that it reads
  unsigned caches = 0;            ///< bit for each Format that it keeps keys and values in
  unsigned unfused = 0;           ///< bit for each Format whose weights pass through a copy in 16 bit in memory
  double slots = kUnset;          ///< requests that its server takes at once unless told otherwise; 0: no such limit
  double most_measured = kUnset;  ///< requests at once in the measured runs; 0: as many as fit, or nobody says
  double time = kUnset;           ///< factor on the time of its kernels
  double prompts = kUnset;        ///< factor on the time of passes over prompts, besides
  double host_layer_us = kUnset;  ///< host time of a layer launched kernel by kernel; zero with CUDA graphs
  double host_step_us = kUnset;
  double host_sequence_us = kUnset;  ///< for each sequence of a step
  double launch = kUnset;            ///< factor on the start of kernels and the time between them
  double expand = kUnset;            ///< factor on the rate at which compressed weights are expanded
  double eight_bit = kUnset;         ///< factor on the bandwidth of int8 and nf4 weights
  double product = kUnset;           ///< factor on the rate of large products of compressed weights
  double experts = kUnset;           ///< factor on the time of layers of experts
  double cache_expand = kUnset;      ///< factor on the rate at which an 8-bit cache is expanded
  double cache_start = kUnset;       ///< factor on the start of a sequence and key head in attention over a cache
  double casts = kUnset;             ///< share of the cost of casting activations to 8 or 4 bits that is not fused away
  double memory_share = kUnset;      ///< of usable memory that it may take
  double most_share = kUnset;        ///< the same where it is told to take more, for want of room for a few requests
  double free_share = kUnset;        ///< of what weights and workspace leave, for the cache
  double reserve_gib = kUnset;       ///< driver context, framework, graphs, workspace
  double prompt_chunk = kUnset;      ///< tokens of a prompt that pass a layer split together; 0: all
  PromptAttention attention = PromptAttention::kNewest;
  bool own_kernels = false;      ///< limited by the multiprocessors even for 16-bit weights
  bool half_accumulate = false;  ///< 16-bit sums: twice the rate on GeForce cards
  bool continuous = true;        ///< new requests join a running batch
  bool prompts_first = false;    ///< decoding stops while prompts are waiting to be read
  bool evicts = false;           ///< takes requests in by what they hold now, and puts some out when memory ends
  bool pipelines = true;         ///< several batches are under way in a layer split
  bool copies_cache = false;     ///< cache concatenated and expanded at every step
  bool loops_experts = false;    ///< one product after the other for each expert
  bool emulates = false;         ///< expands fp8 and nvfp4 weights where the hardware lacks them
  bool one_shot = false;         ///< all-reduces of short messages over NVLink in one step
  bool host_tables = false;      ///< tables that tokens are looked up in stay in the host's memory
  double publishers = kUnset;    ///< of runs of this engine that took part in the fit
  std::string source, as_of;

  bool keeps_cache(Format format) const { return (caches >> static_cast<unsigned>(format) & 1U) != 0; }
  bool copies_weights(Format format) const { return (unfused >> static_cast<unsigned>(format) & 1U) != 0; }
  bool reads(Format format) const { return (formats >> static_cast<unsigned>(format) & 1U) != 0; }
  bool operator==(const EngineProfile&) const = default;
};

}  // namespace gpuplan
