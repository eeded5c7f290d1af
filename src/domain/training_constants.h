// Constants of the training model that no data sheet and no framework decides. Rows of data/training_constants.csv,
// fitted by tools/fit; each has one meaning and physical bounds.
#pragma once

#include <array>
#include <string_view>

namespace gpuplan {

struct TrainingConstants {
  // Time of layers.
  double step_time = 1.26;            ///< time of GPU work inside a training step over that of the same kernels alone
  double eager_attention = 0.5;       ///< share of peak that the products of materialised attention reach, heads of 128
  double grouped_products = 1.62;     ///< time of an expert's product over that of its tiles
  double attention_backward = 3.33;   ///< time of fused attention backward over forward
  double eager_passes = 27;           ///< passes over materialised scores, forward and backward, operation by operation
  double eager_passes_fused = 12;     ///< the same with fused mask, softmax and dropout
  double elementwise = 1.3;           ///< traffic of passes between products over that of the tensors counted
  double elementwise_compiled = 0.8;  ///< what of it a compiler leaves
  double norm_passes = 12;            ///< elements moved for each of a root-mean-square norm run as separate operations
  double rotary_passes = 6;           ///< the same for each element of queries and keys that is rotated
  double elementwise_backward = 1.75;
  double head_bytes = 16;       ///< traffic of the loss a logit
  double pipeline_head = 0.68;  ///< share of the output's time that shows on the last stage
  double fp8_time = 0.87;       ///< what 8-bit products lose to the step around them, over 16-bit ones
  double fp4_time = 0.94;
  double dequantise_bytes = 22;   ///< traffic a 4-bit parameter and micro-batch to expand it
  double dequantise_again = 1.5;  ///< the same when layers are recomputed, over once
  double selective_work = 0.5;    ///< share of products that PyTorch's selective recomputation repeats
  // Host.
  double moe_launches = 3;  ///< launches of a layer with experts over one without
  double adapter_launches = 1.3;
  // Communication.
  double tensor_exposed = 0.74;  ///< share of tensor-parallel traffic that computation does not hide
  double ring_leak = 0.1;        ///< context parallelism: share of hidden traffic that still shows
  double expert_exposed = 0.76;
  double expert_network_exposed = 0.5;
  double expert_machines = 4;  ///< machines that a token's experts lie on at most
  double zero3_cover = 0.65;   ///< share of computation that hides gathering of weights
  double zero3_leak = 0.28;
  double data_cover = 0.34;  ///< share of the last micro-batch that hides the reduction of gradients
  double data_cover_pipeline = 0.15;
  double data_leak = 0.1;
  double pipeline_exposed = 0.5;
  double straggle = 0.007;  ///< time added with each doubling of machines
  // Optimizer.
  double optimizer_passes = 1.6;   ///< traffic of the step over reading and writing everything once
  double optimizer_unfused = 1.3;  ///< more where it is not one kernel
  double host_adam_rate = 15;      ///< GB/s of host memory a rank when the optimizer runs there
  // Uncertainty of time: what each circumstance adds to the half width of the 80 % interval of ln(measured/predicted),
  // in quadrature; fitted on runs whose source was left out.
  double spread_base = 0.1;                ///< any run
  double spread_machines = 0.05;           ///< several machines
  double spread_cut = 0.06;                ///< tensor or pipeline parallel
  double spread_eight_bit = 0.06;          ///< 8-bit products
  double spread_four_bit = 0.18;           ///< 4-bit products
  double spread_long = 0.15;               ///< sequences of 16k tokens and more
  double spread_experts = 0.25;            ///< mixture of experts
  double spread_experts_apart = 0.2;       ///< experts on several machines
  double spread_adapters = 0.2;            ///< low-rank adapters
  double spread_scores = 0.2;              ///< attention without a fused kernel
  double spread_gddr = 0.15;               ///< GPU with GDDR memory
  double spread_old = 0.25;                ///< GPU older than Ampere
  double spread_other = 0.15;              ///< GPU of another vendor than NVIDIA
  double spread_offload = 0.25;            ///< state or activations in host memory
  double spread_launch = 0.3;              ///< few tokens a micro-batch: bound by launches and host speed
  double spread_assumed = 0.2;             ///< batch or parallel degrees assumed
  double spread_unknown_framework = 0.12;  ///< a framework without measured runs
  double spread_unmeasured = 0.5;          ///< hardware without measured runs
  double spread_network = 0.5;             ///< network between the machines unknown
  double spread_networks = 0.45;           ///< several or frozen networks, never measured
  double spread_custom = 0.7;              ///< network known by its totals only
  // Uncertainty of memory, in the same way.
  double memory_spread_base = 0.175;      ///< any run
  double memory_spread_four_bit = 0.17;   ///< 4-bit weights
  double memory_spread_offload = 0.14;    ///< state or activations in host memory
  double memory_spread_cut = 0.2;         ///< tensor or pipeline parallel
  double memory_spread_experts = 0.25;    ///< mixture of experts
  double memory_spread_unmeasured = 0.2;  ///< hardware without measured runs
  double memory_spread_networks = 0.3;    ///< several or frozen networks, never measured
  double memory_spread_custom = 0.5;      ///< network known by its totals only
  // Memory.
  double driver_gib = 0.8;        ///< GiB outside of the allocator: driver context and libraries
  double framework_gib = 0.27;    ///< GiB that a framework allocates beside the model
  double collectives_gib = 0.56;  ///< GiB of communication buffers once there is more than one GPU
  double fragmentation = 0.07;    ///< held by the allocator beyond its tensors, over those that come and go
  double kept = 1.05;             ///< kept activations over the tensors counted
  double kept_compiled = 0.91;
  double kept_lora = 1.15;   ///< more with adapters beside 16-bit layers
  double kept_qlora = 1.23;  ///< more with adapters beside 4-bit layers
  double norm_copy = 2;      ///< bytes an element and norm that 32-bit norms, operation by operation, keep more
  double score_bytes = 7;    ///< bytes kept a materialised score
  double score_bytes_fused = 5;
  double selective_kept = 0.5;       ///< share of product outputs that PyTorch's selective recomputation keeps
  double layer_working = 0.3;        ///< what the layer in its backward pass needs, over what it keeps
  double optimizer_temporary = 0.5;  ///< bytes a parameter during an optimizer step that is not one kernel
  double expert_imbalance = 1.2;     ///< tokens that the busiest rank's experts get over the average
  double paged_share = 0.1;          ///< share of paged optimizer states that stays on the GPU
  // Host memory.
  double host_process_gib = 3;    ///< GiB of a rank's process: libraries, pinned buffers
  double host_workers_gib = 1.5;  ///< GiB of its data workers
};

/// A constant by its name in the table.
struct TrainingConstant {
  std::string_view name;
  double TrainingConstants::* field;
};

inline constexpr std::array kTrainingConstants = {
    TrainingConstant{"step_time", &TrainingConstants::step_time},
    TrainingConstant{"eager_attention", &TrainingConstants::eager_attention},
    TrainingConstant{"grouped_products", &TrainingConstants::grouped_products},
    TrainingConstant{"attention_backward", &TrainingConstants::attention_backward},
    TrainingConstant{"eager_passes", &TrainingConstants::eager_passes},
    TrainingConstant{"eager_passes_fused", &TrainingConstants::eager_passes_fused},
    TrainingConstant{"elementwise", &TrainingConstants::elementwise},
    TrainingConstant{"elementwise_compiled", &TrainingConstants::elementwise_compiled},
    TrainingConstant{"norm_passes", &TrainingConstants::norm_passes},
    TrainingConstant{"rotary_passes", &TrainingConstants::rotary_passes},
    TrainingConstant{"elementwise_backward", &TrainingConstants::elementwise_backward},
    TrainingConstant{"head_bytes", &TrainingConstants::head_bytes},
    TrainingConstant{"pipeline_head", &TrainingConstants::pipeline_head},
    TrainingConstant{"fp8_time", &TrainingConstants::fp8_time},
    TrainingConstant{"fp4_time", &TrainingConstants::fp4_time},
    TrainingConstant{"dequantise_bytes", &TrainingConstants::dequantise_bytes},
    TrainingConstant{"dequantise_again", &TrainingConstants::dequantise_again},
    TrainingConstant{"selective_work", &TrainingConstants::selective_work},
    TrainingConstant{"moe_launches", &TrainingConstants::moe_launches},
    TrainingConstant{"adapter_launches", &TrainingConstants::adapter_launches},
    TrainingConstant{"tensor_exposed", &TrainingConstants::tensor_exposed},
    TrainingConstant{"ring_leak", &TrainingConstants::ring_leak},
    TrainingConstant{"expert_exposed", &TrainingConstants::expert_exposed},
    TrainingConstant{"expert_network_exposed", &TrainingConstants::expert_network_exposed},
    TrainingConstant{"expert_machines", &TrainingConstants::expert_machines},
    TrainingConstant{"zero3_cover", &TrainingConstants::zero3_cover},
    TrainingConstant{"zero3_leak", &TrainingConstants::zero3_leak},
    TrainingConstant{"data_cover", &TrainingConstants::data_cover},
    TrainingConstant{"data_cover_pipeline", &TrainingConstants::data_cover_pipeline},
    TrainingConstant{"data_leak", &TrainingConstants::data_leak},
    TrainingConstant{"pipeline_exposed", &TrainingConstants::pipeline_exposed},
    TrainingConstant{"straggle", &TrainingConstants::straggle},
    TrainingConstant{"optimizer_passes", &TrainingConstants::optimizer_passes},
    TrainingConstant{"optimizer_unfused", &TrainingConstants::optimizer_unfused},
    TrainingConstant{"host_adam_rate", &TrainingConstants::host_adam_rate},
    TrainingConstant{"spread_base", &TrainingConstants::spread_base},
    TrainingConstant{"spread_machines", &TrainingConstants::spread_machines},
    TrainingConstant{"spread_cut", &TrainingConstants::spread_cut},
    TrainingConstant{"spread_eight_bit", &TrainingConstants::spread_eight_bit},
    TrainingConstant{"spread_four_bit", &TrainingConstants::spread_four_bit},
    TrainingConstant{"spread_long", &TrainingConstants::spread_long},
    TrainingConstant{"spread_experts", &TrainingConstants::spread_experts},
    TrainingConstant{"spread_experts_apart", &TrainingConstants::spread_experts_apart},
    TrainingConstant{"spread_adapters", &TrainingConstants::spread_adapters},
    TrainingConstant{"spread_scores", &TrainingConstants::spread_scores},
    TrainingConstant{"spread_gddr", &TrainingConstants::spread_gddr},
    TrainingConstant{"spread_old", &TrainingConstants::spread_old},
    TrainingConstant{"spread_other", &TrainingConstants::spread_other},
    TrainingConstant{"spread_offload", &TrainingConstants::spread_offload},
    TrainingConstant{"spread_launch", &TrainingConstants::spread_launch},
    TrainingConstant{"spread_assumed", &TrainingConstants::spread_assumed},
    TrainingConstant{"spread_unknown_framework", &TrainingConstants::spread_unknown_framework},
    TrainingConstant{"spread_unmeasured", &TrainingConstants::spread_unmeasured},
    TrainingConstant{"spread_network", &TrainingConstants::spread_network},
    TrainingConstant{"spread_networks", &TrainingConstants::spread_networks},
    TrainingConstant{"spread_custom", &TrainingConstants::spread_custom},
    TrainingConstant{"memory_spread_base", &TrainingConstants::memory_spread_base},
    TrainingConstant{"memory_spread_four_bit", &TrainingConstants::memory_spread_four_bit},
    TrainingConstant{"memory_spread_offload", &TrainingConstants::memory_spread_offload},
    TrainingConstant{"memory_spread_cut", &TrainingConstants::memory_spread_cut},
    TrainingConstant{"memory_spread_experts", &TrainingConstants::memory_spread_experts},
    TrainingConstant{"memory_spread_unmeasured", &TrainingConstants::memory_spread_unmeasured},
    TrainingConstant{"memory_spread_networks", &TrainingConstants::memory_spread_networks},
    TrainingConstant{"memory_spread_custom", &TrainingConstants::memory_spread_custom},
    TrainingConstant{"driver_gib", &TrainingConstants::driver_gib},
    TrainingConstant{"framework_gib", &TrainingConstants::framework_gib},
    TrainingConstant{"collectives_gib", &TrainingConstants::collectives_gib},
    TrainingConstant{"fragmentation", &TrainingConstants::fragmentation},
    TrainingConstant{"kept", &TrainingConstants::kept},
    TrainingConstant{"kept_compiled", &TrainingConstants::kept_compiled},
    TrainingConstant{"kept_lora", &TrainingConstants::kept_lora},
    TrainingConstant{"kept_qlora", &TrainingConstants::kept_qlora},
    TrainingConstant{"norm_copy", &TrainingConstants::norm_copy},
    TrainingConstant{"score_bytes", &TrainingConstants::score_bytes},
    TrainingConstant{"score_bytes_fused", &TrainingConstants::score_bytes_fused},
    TrainingConstant{"selective_kept", &TrainingConstants::selective_kept},
    TrainingConstant{"layer_working", &TrainingConstants::layer_working},
    TrainingConstant{"optimizer_temporary", &TrainingConstants::optimizer_temporary},
    TrainingConstant{"expert_imbalance", &TrainingConstants::expert_imbalance},
    TrainingConstant{"paged_share", &TrainingConstants::paged_share},
    TrainingConstant{"host_process_gib", &TrainingConstants::host_process_gib},
    TrainingConstant{"host_workers_gib", &TrainingConstants::host_workers_gib},
};

}  // namespace gpuplan
