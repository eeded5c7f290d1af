// Constants of the training model that no data sheet and no framework decides. Rows of data/training_constants.csv,
// fitted by tools/fit; each has one meaning and physical bounds.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct TrainingConstants {
  // Time of layers.
  double step_time = kUnset;         ///< time of GPU work inside a training step over that of the same kernels alone
  double sustained_a_watt = kUnset;  ///< operations a watt when products run all the time, over those of a burst
  double eager_attention = kUnset;   ///< share of peak that the products of materialised attention reach, heads of 128
  double grouped_products = kUnset;  ///< time of an expert's product over that of its tiles
  double attention_backward = kUnset;  ///< time of fused attention backward over forward
  double eager_passes = kUnset;  ///< passes over materialised scores, forward and backward, operation by operation
  double eager_passes_fused = kUnset;    ///< the same with fused mask, softmax and dropout
  double elementwise = kUnset;           ///< traffic of passes between products over that of the tensors counted
  double elementwise_compiled = kUnset;  ///< what of it a compiler leaves
  double norm_passes = kUnset;    ///< elements moved for each of a root-mean-square norm run as separate operations
  double rotary_passes = kUnset;  ///< the same for each element of queries and keys that is rotated
  double elementwise_backward = kUnset;
  double head_bytes = kUnset;     ///< traffic of the loss a logit
  double masked_share = kUnset;   ///< share of tokens that a masked language model scores
  double pipeline_head = kUnset;  ///< share of the output's time that shows on the last stage
  double fp8_time = kUnset;       ///< what 8-bit products lose to the step around them, over 16-bit ones
  double fp4_time = kUnset;
  double four_bit_layers = kUnset;   ///< share of layers whose products run in 4 bit where the others do
  double dequantise_bytes = kUnset;  ///< traffic a 4-bit parameter and micro-batch to expand it
  double dequantise_again = kUnset;  ///< the same when layers are recomputed, over once
  double selective_work = kUnset;    ///< share of products that PyTorch's selective recomputation repeats
  // Host.
  double host_time = kUnset;     ///< host time of launches over what was thought of each framework
  double moe_launches = kUnset;  ///< launches of a layer with experts over one without
  double adapter_launches = kUnset;
  // Communication.
  double tensor_exposed = kUnset;     ///< share of tensor-parallel traffic that computation does not hide
  double tensor_overlapped = kUnset;  ///< the same where software moves it in chunks beside the products
  double ring_leak = kUnset;          ///< context parallelism: share of hidden traffic that still shows
  double expert_exposed = kUnset;
  double expert_network_exposed = kUnset;
  double expert_machines = kUnset;  ///< machines that a token's experts lie on at most
  double zero3_cover = kUnset;      ///< share of computation that hides gathering of weights
  double zero3_leak = kUnset;
  double data_cover = kUnset;  ///< share of the last micro-batch that hides the reduction of gradients
  double data_cover_pipeline = kUnset;
  double data_leak = kUnset;
  double pipeline_exposed = kUnset;
  double straggle = kUnset;  ///< time added with each doubling of machines
  // Optimizer.
  double optimizer_passes = kUnset;   ///< traffic of the step over reading and writing everything once
  double optimizer_unfused = kUnset;  ///< more where it is not one kernel
  double host_adam_rate = kUnset;     ///< GB/s of host memory a rank when the optimizer runs there
  // Memory.
  double driver_gib = kUnset;       ///< GiB outside of the allocator: driver context and libraries
  double framework_gib = kUnset;    ///< GiB that a framework allocates beside the model
  double collectives_gib = kUnset;  ///< GiB of communication buffers once there is more than one GPU
  double fragmentation = kUnset;    ///< held by the allocator beyond its tensors, over those that come and go
  double kept = kUnset;             ///< kept activations over the tensors counted
  double kept_compiled = kUnset;
  double kept_lora = kUnset;    ///< more with adapters beside 16-bit layers
  double kept_qlora = kUnset;   ///< more with adapters beside 4-bit layers
  double norm_copy = kUnset;    ///< bytes an element and norm that 32-bit norms, operation by operation, keep more
  double score_bytes = kUnset;  ///< bytes kept a materialised score
  double score_bytes_fused = kUnset;
  double selective_kept = kUnset;       ///< share of product outputs that PyTorch's selective recomputation keeps
  double layer_working = kUnset;        ///< what the layer in its backward pass needs, over what it keeps
  double optimizer_temporary = kUnset;  ///< bytes a parameter during an optimizer step that is not one kernel
  double expert_imbalance = kUnset;     ///< tokens that the busiest rank's experts get over the average
  double paged_share = kUnset;          ///< share of paged optimizer states that stays on the GPU
  // Host memory.
  double host_process_gib = kUnset;  ///< GiB of a rank's process: libraries, pinned buffers
  double host_workers_gib = kUnset;  ///< GiB of its data workers
  double host_memory = kUnset;       ///< memory of a machine over that of its GPUs, where nobody states it

  bool operator==(const TrainingConstants&) const = default;
};

/// A constant by its name in the table.
struct TrainingConstant {
  std::string_view name;
  double TrainingConstants::* field;
};

inline constexpr std::array kTrainingConstants = {
    TrainingConstant{"step_time", &TrainingConstants::step_time},
    TrainingConstant{"sustained_a_watt", &TrainingConstants::sustained_a_watt},
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
    TrainingConstant{"masked_share", &TrainingConstants::masked_share},
    TrainingConstant{"pipeline_head", &TrainingConstants::pipeline_head},
    TrainingConstant{"fp8_time", &TrainingConstants::fp8_time},
    TrainingConstant{"fp4_time", &TrainingConstants::fp4_time},
    TrainingConstant{"four_bit_layers", &TrainingConstants::four_bit_layers},
    TrainingConstant{"dequantise_bytes", &TrainingConstants::dequantise_bytes},
    TrainingConstant{"dequantise_again", &TrainingConstants::dequantise_again},
    TrainingConstant{"selective_work", &TrainingConstants::selective_work},
    TrainingConstant{"host_time", &TrainingConstants::host_time},
    TrainingConstant{"moe_launches", &TrainingConstants::moe_launches},
    TrainingConstant{"adapter_launches", &TrainingConstants::adapter_launches},
    TrainingConstant{"tensor_exposed", &TrainingConstants::tensor_exposed},
    TrainingConstant{"tensor_overlapped", &TrainingConstants::tensor_overlapped},
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
    TrainingConstant{"host_memory", &TrainingConstants::host_memory},
};

}  // namespace gpuplan
