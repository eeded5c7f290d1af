// Constants of one machine with one framework and precision.
#include <cmath>
#include <string_view>

#include "model/communication.h"
#include "model/training/rollouts.h"
#include "model/training/training.h"

namespace gpuplan {

namespace {

/// Bytes of optimizer state a parameter; `scale`: of the format of weights, over 32 bit.
double state_bytes_of(const Catalogue& catalogue, Optimizer optimizer, double scale) {
  constexpr double kTwoMoments = 8;  // of a catalogue that is not complete
  const OptimizerFacts* facts = catalogue.find_optimizer(optimizer);
  if (facts == nullptr) return kTwoMoments * scale;
  return facts->state_bytes * (facts->follows ? scale : 1);
}

bool eight_bit(const Catalogue& catalogue, Optimizer optimizer) {
  const OptimizerFacts* facts = catalogue.find_optimizer(optimizer);
  return facts != nullptr && facts->eight_bit;
}

void set_parameter_bytes(const Catalogue& catalogue, const TrainingWork& work, const Framework& framework,
                         const TrainingSoftware& software, TrainingRates& rates) {
  const TrainPhase& phase = *work.phase;
  const bool wide = rates.precision == Precision::kFp32 || rates.precision == Precision::kTf32;
  const bool narrow_master = phase.master_weights ? *phase.master_weights != Format::kFp32 : !framework.master_fp32;
  const auto states = [&](double scale) {
    if (phase.optimizer_state == Format::kInt8) return state_bytes_of(catalogue, Optimizer::kAdam8bit, 1);
    if (phase.optimizer_state == Format::kFp32) scale = 1;
    else if (phase.optimizer_state) scale = 0.5;
    return state_bytes_of(catalogue, phase.optimizer.matrices, scale) * work.matrices +
           state_bytes_of(catalogue, phase.optimizer.rest, scale) * (1 - work.matrices);
  };
  rates.element_bytes = wide ? 4 : 2;
  rates.base_bytes = rates.base_other_bytes = wide ? 4 : 2;
  if (phase.method == Method::kQlora)
    rates.base_bytes = software.four_bit_bytes;  // Dettmers et al. 2023, arXiv:2305.14314
  rates.master_bytes = 0;
  rates.state_bytes = states(1);
  if (phase.method == Method::kLora || phase.method == Method::kQlora) {
    // Adapters learn as their framework's other weights do: in 32 bit, or as 16-bit copies of 32-bit weights.
    rates.weight_bytes = software.weight_bytes;
    rates.gradient_bytes = 4;
    if (software.weight_bytes < 4) rates.master_bytes = 4;
  } else if (wide || phase.method == Method::kFrozen) {
    rates.weight_bytes = rates.gradient_bytes = 4;
  } else if (narrow_master) {
    rates.weight_bytes = rates.gradient_bytes = 2;
    rates.state_bytes = states(0.5);
  } else {
    rates.weight_bytes = software.weight_bytes;
    rates.gradient_bytes = software.gradient_bytes;
    // 16-bit weights are copies; the optimizer updates 32-bit ones (Micikevicius et al. 2018, arXiv:1710.03740).
    if (software.weight_bytes < 4) rates.master_bytes = 4;
  }
}

/// Choices of the framework that change what memory holds.
void set_memory_habits(const Catalogue& catalogue, const TrainingWork& work, const TrainingSoftware& software,
                       TrainingRates& rates) {
  const bool fp8 = is_eight_bit(rates.precision);
  if (fp8 && rates.weight_bytes < 4) rates.copy_bytes = software.eight_bit_copies;
  // Frozen weights are copied as well; those in 4 bit are expanded instead.
  if (fp8 && work.phase->method == Method::kLora) rates.base_bytes += software.eight_bit_copies;
  // Kernels that keep what they read in 8 or 4 bit have no use for the input that it was made of. 4 bits and a scale of
  // 8 for 16 of them make 0.5625 bytes; recipes leave the last layers in 16 bit (NVIDIA 2025, arXiv:2509.25149).
  const bool fp4 = rates.precision == Precision::kNvfp4;
  const double narrow = rates.constants->four_bit_layers;
  if (software.keeps_quantised && fp8) rates.kept_inputs = 1;
  if (software.keeps_quantised && fp4) rates.kept_inputs = 0.5625 * narrow + rates.element_bytes * (1 - narrow);
  // PyTorch's lists of what to keep name products of 16 and 8 bit, not those that a quantised layer brings along.
  if (fp4) rates.unlisted = narrow;
  // torch.amp keeps its copies of weights to the end of the forward pass, and products keep those that they read in any
  // software: 6 bytes a weight, not 4 (Hugging Face, anatomy of a model's memory).
  rates.casts_weights = rates.weight_bytes >= 4 && rates.element_bytes < 4;
  const TrainPhase& phase = *work.phase;
  const bool eight_bit_states =
      eight_bit(catalogue, phase.optimizer.matrices) || phase.optimizer_state == Format::kInt8;
  if (software.paged_8bit && eight_bit_states && phase.method == Method::kFull) {
    rates.step_in_backward = true;
  }
}

/// Products that keep a GPU busy for a whole step draw more than it may, and its clock falls: between where it is free
/// and the lowest voltage the clock goes with about the square root of the power (with the cube root at fixed share of
/// time, and linearly at the lowest voltage). Formats of 8 and 4 bit need as many watts for more operations.
void hold_to_power(const Catalogue& catalogue, const Gpu& gpu, const Efficiency& efficiency, Precision precision,
                   MatmulRate& rate) {
  if (gpu.tdp_watts <= 0 || efficiency.tflops_per_watt <= 0 || rate.flop.value <= 0) return;
  const GenerationConstants& c = catalogue.generation_constants;
  const double narrow = precision == Precision::kNvfp4 ? c.watts_4bit : is_eight_bit(precision) ? c.watts_8bit : 1;
  if (precision == Precision::kFp32) return;
  const double a_watt = efficiency.tflops_per_watt * 1e12 * narrow * catalogue.training_constants.sustained_a_watt;
  const double need = 1 / rate.flop.value / (gpu.tdp_watts * a_watt);  // over what it may draw
  const double squared = need * need, fourth = squared * squared;
  rate.flop = rate.flop * std::sqrt(std::sqrt(std::sqrt(std::sqrt(1 + fourth * fourth))));
}

}  // namespace

const TrainingSoftware& software_of(const Catalogue& catalogue, std::string_view framework) {
  static const TrainingSoftware kNone{};  // of a catalogue that is not complete
  const TrainingSoftware* any = &kNone;
  for (const TrainingSoftware& row : catalogue.training_software) {
    if (row.name == framework) return row;
    if (row.name == "*") any = &row;
  }
  return *any;
}

TrainingRates training_rates(const Catalogue& catalogue, const NodeShape& node, const Framework& framework,
                             Precision precision, bool compile, const TrainingWork& work) {
  const Gpu& gpu = *node.gpu;
  const Efficiency& efficiency = efficiency_of(catalogue, gpu);
  const TrainingSoftware& software = software_of(catalogue, framework.name);
  TrainingRates rates;
  rates.node = &node;
  rates.framework = &framework;
  rates.precision = precision;
  rates.compile = compile;
  // torch.compile generates Triton, which supports NVIDIA GPUs from compute capability 8.0 on (its README).
  rates.compiled_kernels = compile && (gpu.vendor != "nvidia" || gpu.compute_capability >= 8);
  rates.efficiency = &efficiency;
  rates.software_row = &software;
  rates.peak = peak(gpu, precision);

  const bool wide = precision == Precision::kFp32 || precision == Precision::kTf32 || precision == Precision::kFp16;
  const Precision head = wide ? precision : Precision::kBf16;
  rates.head_peak = product_peak(gpu, head);
  rates.blocks = matmul_rate(gpu, efficiency, precision);
  rates.head = matmul_rate(gpu, efficiency, head);
  hold_to_power(catalogue, gpu, efficiency, precision, rates.blocks);
  hold_to_power(catalogue, gpu, efficiency, head, rates.head);
  rates.attention_newest = rates.head_peak * efficiency.attention;
  rates.attention_common = rates.head_peak * efficiency.attention_common;
  rates.attention_old = rates.head_peak * efficiency.attention_old;
  rates.attention = software.vendor_attention ? rates.attention_newest : rates.attention_common;
  rates.eager_attention = rates.head_peak * catalogue.training_constants.eager_attention;
  rates.stream = gpu.bandwidth * efficiency.bandwidth;

  const TrainingConstants& constants = catalogue.training_constants;
  rates.constants = &constants;
  rates.errors = &catalogue.errors;
  const double format = is_eight_bit(precision)          ? constants.fp8_time
                        : precision == Precision::kNvfp4 ? constants.fp4_time
                                                         : 1;
  rates.software = software.time;
  rates.time_factor = constants.step_time * software.time;
  rates.head_factor = rates.time_factor * efficiency.training;
  rates.product_factor = rates.head_factor * format;
  rates.fused = rates.fused_step = software.fused;
  rates.scores_only = software.scores_only();
  rates.sequence_parallel = software.sequence_parallel;
  rates.fused_loss = framework.fused_loss;

  rates.launch_per_layer =
      (compile ? software.host_compiled_ms : software.host_eager_ms) * constants.host_time * units::millisecond;
  // Measured where engines generate with such loops: the host issues the same kernels for each expert there.
  rates.expert_launches = software.loops_experts ? catalogue.generation_constants.eager_experts : 0;
  rates.launch_per_step =
      (software.step_ms + software.step_layer_ms * work.layers) * constants.host_time * units::millisecond;

  rates.host_link = host_rate(gpu);
  LinkRate link = intra_rate(catalogue, node);
  // Copy engines move every byte at the rate of the slot, whoever cannot reach whom (llmq, README: memcpy all-gather).
  if (software.copy_engines && node.gpus > 1 && !node.direct_link()) link = {rates.host_link, link.latency};
  const LinkRate network = network_rate(catalogue, node);
  rates.link = link;
  rates.link_bus = link.bus;
  rates.link_latency = link.latency;
  const bool rack = gpu.link_domain > node.gpus && node.link_kind == LinkKind::kNvswitch && node.link.value > 0;
  rates.link_span = rack ? gpu.link_domain : node.gpus;
  rates.network_bus = network.bus;
  rates.network_latency = network.latency;
  rates.logit_bytes = compile ? software.logit_bytes_compiled : software.logit_bytes;
  // Muon: five Newton-Schulz steps of three products, each 2 h operations a parameter (Jordan et al. 2024).
  if (work.phase->optimizer.matrices == Optimizer::kMuon) rates.optimizer_flops = 30 * work.hidden * work.matrices;
  set_parameter_bytes(catalogue, work, framework, software, rates);
  set_memory_habits(catalogue, work, software, rates);
  rates.rollouts = rollout_rates(catalogue, node, work);
  return rates;
}

}  // namespace gpuplan
