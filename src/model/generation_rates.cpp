// Level 2 of the generation model: what a machine, an engine and a weight format can reach.
#include <algorithm>

#include "base/math.h"
#include "model/generation.h"

namespace gpuplan {
namespace {

using units::GB;
using units::GiB;
using units::microsecond;
using units::second;

/// Peak of 16-bit products. Old cards whose 16-bit rate is a token gesture compute in 32 bit instead.
FlopsPerSecond peak_16(const Gpu& gpu, Format weights, bool half_accumulate) {
  FlopsPerSecond rate = std::max(gpu.fp16, gpu.bf16);
  if (weights == Format::kBf16 && gpu.bf16.value > 0) rate = gpu.bf16;
  if (half_accumulate && gpu.fp16_acc16.value > 0) rate = gpu.fp16_acc16;
  return std::max(rate, gpu.fp32);
}

/// Smooth minimum of two rates.
double limited(double rate, double limit) {
  if (!(limit > 0)) return rate;
  const double r2 = rate * rate, l2 = limit * limit;
  return rate * limit / std::sqrt(std::sqrt(r2 * r2 + l2 * l2));
}

/// The machine with so many of its GPUs: what a group of tensor ranks sees of it.
LinkRate group_rate(const Catalogue& catalogue, NodeShape node, int gpus) {
  node.gpus = std::min(node.gpus, gpus);
  return intra_rate(catalogue, node);
}

/// Rates of one engine on one GPU, format by format.
class Reach {
 public:
  Reach(const Gpu& gpu, const Efficiency& efficiency, const EngineProfile& profile,
        const GenerationConstants& constants)
      : gpu_(gpu), e_(efficiency), p_(profile), c_(constants) {
    clocks_ = e_.fp32_per_sm_clock > 0 ? gpu.fp32.value / e_.fp32_per_sm_clock : 0;
    // A multiprocessor before Blackwell takes in 12.5 bytes a clock at most, which holds back cards with few of them
    // for their bandwidth (H20).
    stream_ = limited(gpu.bandwidth.value * e_.decode_bandwidth, gpu.compute_capability < 10 ? clocks_ * 12.5 : 0);
  }

  BytesPerSecond stream() const { return BytesPerSecond{stream_}; }

  /// Products in 16 bit. The power limit of a card may allow less than its peak: watts decide on PCIe cards.
  WeightRate sixteen(Format weights) const {
    return made(Precision::kBf16, peak_16(gpu_, weights, p_.half_accumulate), 1, p_.own_kernels ? 16 : 0, 2);
  }

  /// Weights of `bits` expanded to 16 bit on the way to the products. Multiprocessors expand so many stored bytes a
  /// clock: that is why a fast-clocked RTX 4090 keeps up with an A100 at 4 bit.
  WeightRate expanded(Format weights, double bits) const {
    WeightRate rate = made(Precision::kBf16, peak_16(gpu_, weights, p_.half_accumulate), 1, bits, bits / 8);
    const double slower = 0.84 * p_.product;
    rate.product.flop = rate.product.flop / slower;
    if (weights == Format::kInt8 || weights == Format::kNf4) rate.weight_byte = rate.weight_byte / p_.eight_bit;
    return rate;
  }

  /// Products of 8-bit integers reach what those of 8-bit floats do; hardware without them runs in 16 bit.
  WeightRate integers(double bytes) const {
    if (gpu_.int8.value <= 0) return expanded(Format::kW8A8, bytes * 8);
    return made(Precision::kFp8, gpu_.int8, c_.watts_8bit, bytes < 1 ? bytes * 8 : 0, bytes);
  }

  WeightRate native(Precision precision, FlopsPerSecond peak, double watts, double bytes) const {
    return made(precision, peak, watts, 0, bytes);
  }

 private:
  WeightRate made(Precision precision, FlopsPerSecond peak, double watts, double expanded_bits, double bytes) const {
    WeightRate rate;
    rate.product = matmul_rate(gpu_, e_, precision);
    const double reached = precision == Precision::kNvfp4  ? e_.matmul_fp4
                           : is_eight_bit(precision)       ? e_.matmul_fp8
                           : precision == Precision::kFp32 ? 0.92
                                                           : e_.matmul;
    const double limit = gpu_.tdp_watts * e_.tflops_per_watt * 1e12 * watts;
    rate.product.flop = Flops{1} / FlopsPerSecond{limited(peak.value * reached, limit)};
    rate.product.floor = e_.kernel_us * microsecond;
    rate.weight_bytes = bytes;
    double stream = stream_;
    if (expanded_bits > 0) {
      const double bytes_a_clock = expanded_bits > 12 ? 10.2 : expanded_bits > 6 ? 9.4 : 8.3;
      stream = limited(stream, clocks_ * bytes_a_clock * p_.expand);
    }
    rate.weight_byte = Bytes{1} / BytesPerSecond{stream};
    return rate;
  }

  const Gpu& gpu_;
  const Efficiency& e_;
  const EngineProfile& p_;
  const GenerationConstants& c_;
  double clocks_ = 0;
  double stream_ = 0;
};

}  // namespace

const EngineProfile& engine_profile(const Catalogue& catalogue, const Framework& engine) {
  static const EngineProfile kGraphs = [] {
    EngineProfile profile;
    profile.name = "*";
    return profile;
  }();
  static const EngineProfile kEager = [] {
    EngineProfile profile;
    profile.name = "*eager";
    profile.host_layer_us = 720;
    profile.host_step_us = profile.host_sequence_us = 0;
    profile.continuous = profile.pipelines = false;
    profile.copies_cache = profile.loops_experts = true;
    return profile;
  }();
  const EngineProfile* other = nullptr;
  const std::string_view fallback = engine.cuda_graphs ? "*" : "*eager";
  for (const EngineProfile& profile : catalogue.engines) {
    if (profile.name == engine.name) return profile;
    if (profile.name == fallback) other = &profile;
  }
  if (other != nullptr) return *other;
  return engine.cuda_graphs ? kGraphs : kEager;
}

std::optional<GenerationRates> generation_rates(const Catalogue& catalogue, const NodeShape& node,
                                                const Framework& engine, Format weights, Format kv_cache,
                                                std::optional<double> weight_bits) {
  const Gpu& gpu = *node.gpu;
  const EngineProfile& profile = engine_profile(catalogue, engine);
  const Efficiency& efficiency = efficiency_of(catalogue, gpu);
  const GenerationConstants& c = catalogue.generation_constants;
  const FlopsPerSecond sixteen = peak_16(gpu, weights, profile.half_accumulate);
  if (!profile.reads(weights) || !stores_cache(kv_cache) || !(sixteen.value > 0) || !(gpu.bandwidth.value > 0))
    return std::nullopt;
  const bool tensor_cores_16 = gpu.bf16.value > 0 || gpu.fp16.value > 0;
  if ((weights == Format::kFp16 || weights == Format::kBf16) && !tensor_cores_16) return std::nullopt;
  // Expanding fp8 and nvfp4 on the fly (Marlin kernels) needs Ampere or later.
  const bool can_expand = profile.emulates && gpu.compute_capability >= 8.0;
  const bool native_8 = gpu.fp8.value > 0, native_4 = gpu.fp4.value > 0;
  if (weights == Format::kFp8 && !native_8 && !can_expand) return std::nullopt;
  if (weights == Format::kNvfp4 && !native_4 && !can_expand) return std::nullopt;
  if (kv_cache == Format::kNvfp4 && !native_4) return std::nullopt;

  GenerationRates rates;
  rates.node = &node;
  rates.engine = &engine;
  rates.profile = &profile;
  rates.constants = &c;
  rates.efficiency = &efficiency;
  rates.weights = weights;
  rates.kv_cache = kv_cache;
  rates.weight_bytes = weight_bits.value_or(bits_of(weights)) / 8;
  // GGUF files keep the head in q6_k; others leave embedding and head in 16 bit.
  rates.head_bytes = weights == Format::kFp32                       ? 4.0
                     : is_gguf(weights) && weights != Format::kQ8_0 ? bytes_of(Format::kQ6K)
                     : weights == Format::kQ8_0                     ? rates.weight_bytes
                                                                    : 2.0;
  rates.kv_bytes = bytes_of(kv_cache);

  const Reach reach(gpu, efficiency, profile, c);
  const bool expands = (weight_only(weights) && !(weights == Format::kMxfp4 && native_4)) ||
                       (weights == Format::kFp8 && !native_8) || (weights == Format::kNvfp4 && !native_4);
  rates.native_products = !expands;
  rates.blocks_16 = reach.sixteen(weights);
  const double bytes = rates.weight_bytes;
  if (expands) rates.blocks = reach.expanded(weights, rates.weight_bytes * 8);
  else if (weights == Format::kFp32) rates.blocks = reach.native(Precision::kFp32, gpu.fp32, 1, bytes);
  else if (weights == Format::kFp8) rates.blocks = reach.native(Precision::kFp8, gpu.fp8, c.watts_8bit, bytes);
  else if (int8_products(weights)) rates.blocks = reach.integers(bytes);
  else if (bytes < 1) rates.blocks = reach.native(Precision::kNvfp4, gpu.fp4, c.watts_4bit, bytes);
  else rates.blocks = rates.blocks_16;
  rates.experts = rates.blocks;
  rates.experts.weight_byte = rates.experts.weight_byte / c.expert_stream;
  if (expands && bytes < 1) rates.experts.product.flop = rates.experts.product.flop / c.expert_int4;
  rates.head =
      profile.own_kernels || weights == Format::kFp32 ? reach.expanded(weights, rates.head_bytes * 8) : rates.blocks_16;
  rates.head.weight_bytes = rates.head_bytes;
  const double fused =
      profile.attention == PromptAttention::kNewest ? efficiency.attention : efficiency.attention_common;
  rates.attention = sixteen * fused;
  rates.latent = sixteen * c.latent_rate;

  rates.decode_stream = Bytes{1} / rates.blocks.weight_byte;
  rates.kv_stream = reach.stream() * c.kv_bandwidth;
  rates.stream = gpu.bandwidth * efficiency.bandwidth;
  const double modern = gpu.year >= 2024 ? c.modern : 1.0;
  rates.launch_per_layer = c.launch_us * profile.launch * modern * microsecond;
  rates.host_per_layer = profile.host_layer_us * microsecond;
  rates.host_per_step = profile.host_step_us * modern * microsecond;
  rates.host_per_sequence = profile.host_sequence_us * modern * microsecond;

  rates.groups = {group_rate(catalogue, node, 2), group_rate(catalogue, node, 4),
                  group_rate(catalogue, node, node.gpus)};
  rates.network = network_rate(catalogue, node);
  rates.network.bus = rates.network.bus / node.gpus;
  const bool rack = node.link.value > 0 && node.gpus > 1;
  rates.link_span = rack ? std::max(node.gpus, gpu.link_domain) : node.gpus;
  rates.host_link = host_rate(gpu);
  // Sequential writing of a data-centre NVMe drive in its smallest size (Samsung PM9A3 960 GB, data sheet 2021).
  rates.disk = 1.5 * GB / second;
  rates.memory_share = std::min(profile.memory_share, 1.0);
  return rates;
}

}  // namespace gpuplan
