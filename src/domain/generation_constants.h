// Constants of the generation model that no data sheet and no engine decides. Rows of data/generation_constants.csv,
// fitted by tools/fit; each has one meaning and physical bounds.
#pragma once

#include <array>
#include <string_view>

namespace gpuplan {

struct GenerationConstants {
  // Time of kernels inside an engine over that of the same kernels alone.
  double decode_time = 1.1;
  double prefill_time = 1.15;
  double launch_us = 14;        ///< GPU idle between the kernels of a layer, decoding, besides products, microseconds
  double launch_experts = 1.4;  ///< the same with experts, over without
  double modern = 0.8;          ///< launches and host time with GPUs, and so software, of 2024 and later
  double prefill_fixed_ms = 3;  ///< of a pass over prompts, ms
  double elementwise = 32;      ///< bytes a token, layer and element of hidden width that element-wise passes move
  double eager_scores = 17.8;   ///< bytes a score moved by attention without a fused kernel
  double watts_8bit = 1.9;      ///< 8-bit products a watt over 16-bit ones
  double watts_4bit = 3.2;
  double own_bytes_clock =
      7;  ///< 16-bit weights that a multiprocessor takes in a clock in kernels written without the vendor's library
  double own_flops_clock = 700;  ///< operations a multiprocessor and clock of large products in such kernels
  double load_bytes_clock = 20;  ///< weights that a multiprocessor before Blackwell takes in a clock
  // Cache.
  double cache_time = 1;         ///< attention over the cache in an engine over that of the kernel alone
  double cache_bytes_clock = 4;  ///< cache of 4- and 8-bit integers that a multiprocessor expands in a clock
  double kv_copy = 3.3;          ///< eager engines: passes over the cache for concatenation and repetition
  // Experts.
  double expert_time = 1;          ///< a layer of experts in an engine over that of its kernels alone
  double expert_imbalance = 1.15;  ///< tokens of the busiest rank over the mean
  // Communication.
  double reduce_latency = 1.2;  ///< of an all-reduce in an engine over that of NCCL's constants
  double reduce_time = 1.2;     ///< the same of its transfer
  double one_shot_us = 8;       ///< all-reduce in one step over NVLink, microseconds
  double crowded = 0.5;         ///< bus rate of more than four GPUs over PCIe over that of four
  double exchange_share =
      0.75;                    ///< bytes of an exchange of experts over those of a 16-bit vector for each rank reached
  double group_wait = 1.2;     ///< prompts read by one of several replicas that share experts hold up the others
  double hop_us = 80;          ///< handing a step over to the next stage, microseconds
  double chunk_serial = 0.42;  ///< layer split with prompts in chunks: share of the time that stays serial
  // Host.
  double eager_experts = 0.1;  ///< host time of an expert over that of a layer, engines that loop over experts
  double hook_layer_us = 720;  ///< host time of a layer whose activations are read out, microseconds
  double eager_prefill = 0.5;  ///< host time of a pass over prompts over that of a decode step
  // Batches.
  double chunk_tokens = 8192;    ///< prompt tokens that continuous engines read in one pass
  double most_in_flight = 1024;  ///< sequences an engine runs at once
  double most_static = 512;
  double static_fill = 0.82;    ///< share of what would fit that static batches take
  double chunk_overlap = 0.26;  ///< share of the smaller of prefill and decode that mixing them hides
  double tail = 0.3;            ///< time lost at start and end, over that of one full batch
  // Time to first token.
  double first_fixed_ms = 18;
  double first_steps = 1.5;   ///< decode steps that a new request waits
  double first_queue = 0.34;  ///< prompts of others that it waits for, over (others)^0.75
  // Memory.
  double weight_padding = 1.015;  ///< allocated over the sum of parameters
  double activation_hidden = 4;   ///< hidden states a token of a pass over prompts
  double activation_mlp = 3;      ///< widths of the MLP a token
  double logit_bytes = 4;         ///< of a score of a last position
  double framework_gib = 0.1;     ///< GiB that an engine allocates beside the model
  // Uncertainty of time: what each circumstance adds to the half width of the 80 % interval of ln(measured/predicted),
  // in quadrature; fitted on runs whose source was left out.
  double spread_base = 0.12;       ///< any run
  double spread_quantised = 0.12;  ///< weights of fewer than 16 bits
  double spread_tensor = 0.12;     ///< tensor parallel
  double spread_pcie = 0.25;       ///< tensor parallel over PCIe
  double spread_wide = 0.4;        ///< 16 GPUs and more
  double spread_experts = 0.3;     ///< mixture of experts
  double spread_eager = 0.5;       ///< bound by the host of an eager engine
  double spread_long = 0.2;        ///< prompts of 16k tokens and more
  double spread_static = 0.2;      ///< static batches
  double spread_largest = 0.25;    ///< the batch follows from memory that weights nearly fill
  double steady_saturated = 0.8;  ///< factor on the half width of a server whose queue is always full: requests average
                                  ///< out what single ones differ in
  double steady_served = 0.8;     ///< the same with so many requests in flight
  double spread_prefill = 0.3;    ///< prompts only
  double spread_first_token = 0.5;     ///< time to first token under load, besides
  double spread_hooks = 0.4;           ///< activations read out while generating
  double spread_speculative = 0.25;    ///< speculative decoding, never measured
  double spread_old = 0.3;             ///< GPU older than Ampere
  double spread_other = 0.35;          ///< GPU of another vendor than NVIDIA
  double spread_unknown_engine = 0.2;  ///< an engine without measured runs
  double spread_unmeasured = 0.4;      ///< hardware without measured kernels or runs
  // Uncertainty of memory, in the same way.
  double memory_spread_base = 0.06;
  double memory_spread_long = 0.15;     ///< prompts of 16k tokens and more in one pass
  double memory_spread_tensor = 0.05;   ///< tensor parallel
  double memory_spread_experts = 0.05;  ///< mixture of experts
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
    GenerationConstant{"expert_imbalance", &GenerationConstants::expert_imbalance},
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
    GenerationConstant{"most_static", &GenerationConstants::most_static},
    GenerationConstant{"static_fill", &GenerationConstants::static_fill},
    GenerationConstant{"chunk_overlap", &GenerationConstants::chunk_overlap},
    GenerationConstant{"tail", &GenerationConstants::tail},
    GenerationConstant{"first_fixed_ms", &GenerationConstants::first_fixed_ms},
    GenerationConstant{"first_steps", &GenerationConstants::first_steps},
    GenerationConstant{"first_queue", &GenerationConstants::first_queue},
    GenerationConstant{"weight_padding", &GenerationConstants::weight_padding},
    GenerationConstant{"activation_hidden", &GenerationConstants::activation_hidden},
    GenerationConstant{"activation_mlp", &GenerationConstants::activation_mlp},
    GenerationConstant{"logit_bytes", &GenerationConstants::logit_bytes},
    GenerationConstant{"framework_gib", &GenerationConstants::framework_gib},
    GenerationConstant{"spread_base", &GenerationConstants::spread_base},
    GenerationConstant{"spread_quantised", &GenerationConstants::spread_quantised},
    GenerationConstant{"spread_tensor", &GenerationConstants::spread_tensor},
    GenerationConstant{"spread_pcie", &GenerationConstants::spread_pcie},
    GenerationConstant{"spread_wide", &GenerationConstants::spread_wide},
    GenerationConstant{"spread_experts", &GenerationConstants::spread_experts},
    GenerationConstant{"spread_eager", &GenerationConstants::spread_eager},
    GenerationConstant{"spread_long", &GenerationConstants::spread_long},
    GenerationConstant{"spread_static", &GenerationConstants::spread_static},
    GenerationConstant{"spread_largest", &GenerationConstants::spread_largest},
    GenerationConstant{"steady_saturated", &GenerationConstants::steady_saturated},
    GenerationConstant{"steady_served", &GenerationConstants::steady_served},
    GenerationConstant{"spread_prefill", &GenerationConstants::spread_prefill},
    GenerationConstant{"spread_first_token", &GenerationConstants::spread_first_token},
    GenerationConstant{"spread_hooks", &GenerationConstants::spread_hooks},
    GenerationConstant{"spread_speculative", &GenerationConstants::spread_speculative},
    GenerationConstant{"spread_old", &GenerationConstants::spread_old},
    GenerationConstant{"spread_other", &GenerationConstants::spread_other},
    GenerationConstant{"spread_unknown_engine", &GenerationConstants::spread_unknown_engine},
    GenerationConstant{"spread_unmeasured", &GenerationConstants::spread_unmeasured},
    GenerationConstant{"memory_spread_base", &GenerationConstants::memory_spread_base},
    GenerationConstant{"memory_spread_long", &GenerationConstants::memory_spread_long},
    GenerationConstant{"memory_spread_tensor", &GenerationConstants::memory_spread_tensor},
    GenerationConstant{"memory_spread_experts", &GenerationConstants::memory_spread_experts},
};

}  // namespace gpuplan
