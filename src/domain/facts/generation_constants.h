// Constants of the generation model that no data sheet and no engine decides. Rows of data/generation_constants.csv,
// fitted by tools/fit; each has one meaning and physical bounds.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct GenerationConstants {
  // Time of kernels inside an engine over that of the same kernels alone.
  double decode_time = kUnset;
  double prefill_time = kUnset;
  double launch_us = kUnset;  ///< GPU idle between the kernels of a layer, decoding, besides products, microseconds
  double launch_experts = kUnset;    ///< the same with experts, over without
  double modern = kUnset;            ///< launches and host time with GPUs, and so software, of 2024 and later
  double prefill_fixed_ms = kUnset;  ///< of a pass over prompts, ms
  double elementwise = kUnset;       ///< bytes a token, layer and element of hidden width that element-wise passes move
  double eager_scores = kUnset;      ///< bytes a score moved by attention without a fused kernel
  double watts_8bit = kUnset;        ///< 8-bit products a watt over 16-bit ones
  double watts_4bit = kUnset;
  double own_bytes_clock = kUnset;   ///< 16-bit weights that a multiprocessor takes in a clock in kernels written
                                     ///< without the vendor's library
  double own_flops_clock = kUnset;   ///< operations a multiprocessor and clock of large products in such kernels
  double load_bytes_clock = kUnset;  ///< weights that a multiprocessor before Blackwell takes in a clock
  // Cache.
  double cache_time = kUnset;         ///< attention over the cache in an engine over that of the kernel alone
  double cache_bytes_clock = kUnset;  ///< cache of 4- and 8-bit integers that a multiprocessor expands in a clock
  double kv_copy = kUnset;            ///< eager engines: passes over the cache for concatenation and repetition
  // Experts.
  double expert_time = kUnset;       ///< a layer of experts in an engine over that of its kernels alone
  double expanded_experts = kUnset;  ///< the same besides, of weights that vendors' kernels expand to 16 bit
  double expert_imbalance = kUnset;  ///< tokens of the busiest rank over the mean
  // Communication.
  double reduce_latency = kUnset;  ///< of an all-reduce in an engine over that of NCCL's constants
  double reduce_time = kUnset;     ///< the same of its transfer
  double one_shot_us = kUnset;     ///< all-reduce in one step over NVLink, microseconds
  double crowded = kUnset;         ///< bus rate of more than four GPUs over PCIe over that of four
  double exchange_share =
      kUnset;                  ///< bytes of an exchange of experts over those of a 16-bit vector for each rank reached
  double group_wait = kUnset;  ///< prompts read by one of several replicas that share experts hold up the others
  double hop_us = kUnset;      ///< handing a step over to the next stage, microseconds
  double chunk_serial = kUnset;  ///< layer split with prompts in chunks: share of the time that stays serial
  double routing_skew = kUnset;  ///< deviation of the logarithm of how often an expert is chosen
  // Host.
  double eager_experts = kUnset;  ///< host time of an expert over that of a layer, engines that loop over experts
  double hook_layer_us = kUnset;  ///< host time of a layer whose activations are read out, microseconds
  double eager_prefill = kUnset;  ///< host time of a pass over prompts over that of a decode step
  // Batches.
  double chunk_tokens = kUnset;     ///< prompt tokens that continuous engines read in one pass
  double most_in_flight = kUnset;   ///< sequences an engine runs at once
  double chunk_small = kUnset;      ///< the same as chunk_tokens on cards of less than 70 GiB
  double in_flight_small = kUnset;  ///< the same as most_in_flight on them
  double most_static = kUnset;
  double static_fill = kUnset;    ///< share of what would fit that static batches take
  double chunk_overlap = kUnset;  ///< share of the smaller of prefill and decode that mixing them hides
  double tail = kUnset;           ///< time lost at start and end, over that of one full batch
  // Time to first token.
  double first_fixed_ms = kUnset;
  double first_steps = kUnset;  ///< decode steps that a new request waits
  double waves = kUnset;        ///< share of requests of one length that come together, engines that read prompts first
  // Memory.
  double weight_padding = kUnset;     ///< allocated over the sum of parameters
  double activation_hidden = kUnset;  ///< hidden states a token of a pass over prompts
  double activation_mlp = kUnset;     ///< widths of the MLP a token
  double logit_bytes = kUnset;        ///< of a score of a last position
  double framework_gib = kUnset;      ///< GiB that an engine allocates beside the model

  bool operator==(const GenerationConstants&) const = default;
};

/// A constant by its name in the table.
struct GenerationConstant {
  std::string_view name;
  double GenerationConstants::* field;
};

inline constexpr std::array kGenerationConstants = {
    GenerationConstant{"decode_time", &GenerationConstants::decode_time},
    GenerationConstant{"prefill_time", &GenerationConstants::prefill_time},
    GenerationConstant{"launch_us", &GenerationConstants::launch_us},
    GenerationConstant{"launch_experts", &GenerationConstants::launch_experts},
    GenerationConstant{"modern", &GenerationConstants::modern},
    GenerationConstant{"prefill_fixed_ms", &GenerationConstants::prefill_fixed_ms},
    GenerationConstant{"elementwise", &GenerationConstants::elementwise},
    GenerationConstant{"eager_scores", &GenerationConstants::eager_scores},
    GenerationConstant{"watts_8bit", &GenerationConstants::watts_8bit},
    GenerationConstant{"watts_4bit", &GenerationConstants::watts_4bit},
    GenerationConstant{"own_bytes_clock", &GenerationConstants::own_bytes_clock},
    GenerationConstant{"own_flops_clock", &GenerationConstants::own_flops_clock},
    GenerationConstant{"load_bytes_clock", &GenerationConstants::load_bytes_clock},
    GenerationConstant{"cache_time", &GenerationConstants::cache_time},
    GenerationConstant{"cache_bytes_clock", &GenerationConstants::cache_bytes_clock},
    GenerationConstant{"kv_copy", &GenerationConstants::kv_copy},
    GenerationConstant{"expert_time", &GenerationConstants::expert_time},
    GenerationConstant{"expanded_experts", &GenerationConstants::expanded_experts},
    GenerationConstant{"expert_imbalance", &GenerationConstants::expert_imbalance},
    GenerationConstant{"routing_skew", &GenerationConstants::routing_skew},
    GenerationConstant{"reduce_latency", &GenerationConstants::reduce_latency},
    GenerationConstant{"reduce_time", &GenerationConstants::reduce_time},
    GenerationConstant{"one_shot_us", &GenerationConstants::one_shot_us},
    GenerationConstant{"crowded", &GenerationConstants::crowded},
    GenerationConstant{"exchange_share", &GenerationConstants::exchange_share},
    GenerationConstant{"group_wait", &GenerationConstants::group_wait},
    GenerationConstant{"hop_us", &GenerationConstants::hop_us},
    GenerationConstant{"chunk_serial", &GenerationConstants::chunk_serial},
    GenerationConstant{"eager_experts", &GenerationConstants::eager_experts},
    GenerationConstant{"hook_layer_us", &GenerationConstants::hook_layer_us},
    GenerationConstant{"eager_prefill", &GenerationConstants::eager_prefill},
    GenerationConstant{"chunk_tokens", &GenerationConstants::chunk_tokens},
    GenerationConstant{"most_in_flight", &GenerationConstants::most_in_flight},
    GenerationConstant{"chunk_small", &GenerationConstants::chunk_small},
    GenerationConstant{"in_flight_small", &GenerationConstants::in_flight_small},
    GenerationConstant{"most_static", &GenerationConstants::most_static},
    GenerationConstant{"static_fill", &GenerationConstants::static_fill},
    GenerationConstant{"chunk_overlap", &GenerationConstants::chunk_overlap},
    GenerationConstant{"tail", &GenerationConstants::tail},
    GenerationConstant{"first_fixed_ms", &GenerationConstants::first_fixed_ms},
    GenerationConstant{"first_steps", &GenerationConstants::first_steps},
    GenerationConstant{"waves", &GenerationConstants::waves},
    GenerationConstant{"weight_padding", &GenerationConstants::weight_padding},
    GenerationConstant{"activation_hidden", &GenerationConstants::activation_hidden},
    GenerationConstant{"activation_mlp", &GenerationConstants::activation_mlp},
    GenerationConstant{"logit_bytes", &GenerationConstants::logit_bytes},
    GenerationConstant{"framework_gib", &GenerationConstants::framework_gib},
};

}  // namespace gpuplan
