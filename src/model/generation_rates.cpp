// Level 2 of the generation model: what a machine, an engine and a weight format can reach.
//
// Constants without another source were fitted on published serving runs (2026). Achieved rates are shares of data
// sheets.
#include "base/math.h"
#include "model/compute.h"
#include "model/generation.h"
#include "model/generation_engines.h"

namespace gpuplan {
namespace {

using units::GB;
using units::microsecond;
using units::second;

double larger(double a, double b) { return a > b ? a : b; }
double smaller(double a, double b) { return a < b ? a : b; }

/// Peak of 16-bit products. Old cards whose 16-bit rate is a token gesture compute in 32 bit instead.
double peak_16(const Gpu& gpu, Format weights, bool half_accumulate) {
  double rate = larger(gpu.fp16.value, gpu.bf16.value);
  if (weights == Format::kBf16 && gpu.bf16.value > 0) rate = gpu.bf16.value;
  if (half_accumulate && gpu.fp16_acc16.value > 0) rate = gpu.fp16_acc16.value;
  return larger(rate, gpu.fp32.value);
}

/// Smooth minimum of two rates.
double limited(double rate, double limit, double power) {
  if (!(limit > 0)) return rate;
  return math::pow(math::pow(rate, -power) + math::pow(limit, -power), -1 / power);
}

/// What products reach: a share of peak, or what the power limit of the card allows. Watts decide on PCIe cards: RTX
/// 6000 Ada, L40S and H100 PCIe stay far below their data sheets. 8-bit products need 1/1.9, 4-bit 1/3.2 of the energy.
FlopsPerSecond products(const Gpu& gpu, const Efficiency& efficiency, double peak, double share, double per_watt_gain) {
  const double watts = gpu.tdp_watts * efficiency.tflops_per_watt * 1e12 * per_watt_gain;
  return FlopsPerSecond{limited(peak * share, watts, 4)};
}

struct Link {
  BytesPerSecond bus{};
  Seconds latency{};
};

/// Ring all-reduce over PCIe: 0.81 of one direction; generation 3 carries 16 GB/s, each later one twice as much.
Link pcie(const Gpu& gpu, bool peer_access) {
  const int generation = gpu.pcie_gen > 0 ? gpu.pcie_gen : 4;
  const int lanes = gpu.pcie_lanes > 0 ? gpu.pcie_lanes : 16;
  double rate = 16.0 * lanes / 16.0;
  for (int g = 3; g < generation; ++g) rate *= 2;
  if (generation < 3) rate = 8.0 * lanes / 16.0;
  // Without peer access every message passes host memory: written once more and read once more.
  return {0.81 * rate * (peer_access ? 1.0 : 0.6) * GB / second, (peer_access ? 35.0 : 45.0) * microsecond};
}

bool gguf(Format format) {
  switch (format) {
    case Format::kQ8_0:
    case Format::kQ6K:
    case Format::kQ5K:
    case Format::kQ4K:
    case Format::kQ4_0:
    case Format::kQ3K:
    case Format::kQ2K:
      return true;
    default:
      return false;
  }
}

bool cache_format(Format format) {
  switch (format) {
    case Format::kFp32:
    case Format::kFp16:
    case Format::kBf16:
    case Format::kFp8:
    case Format::kInt8:
    case Format::kInt4:
    case Format::kNvfp4:
    case Format::kQ8_0:
    case Format::kQ4_0:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<GenerationRates> generation_rates(const Catalogue& catalogue, const NodeShape& node,
                                                const Framework& engine, Format weights, Format kv_cache) {
  const Gpu& gpu = *node.gpu;
  const EngineProfile& profile = engine_profile(engine);
  const Efficiency& efficiency = efficiency_of(catalogue, gpu);
  const double sixteen = peak_16(gpu, weights, profile.half_accumulate);
  if (!profile.reads(weights) || !cache_format(kv_cache) || !(sixteen > 0) || !(gpu.bandwidth.value > 0))
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
  rates.weights = weights;
  rates.kv_cache = kv_cache;
  rates.weight_bytes = bytes_of(weights);
  // GGUF files keep the head in q6_k; others leave embedding and head in 16 bit.
  rates.head_bytes = weights == Format::kFp32                    ? 4.0
                     : gguf(weights) && weights != Format::kQ8_0 ? bytes_of(Format::kQ6K)
                     : weights == Format::kQ8_0                  ? rates.weight_bytes
                                                                 : 2.0;
  rates.kv_bytes = bytes_of(kv_cache);

  // Products.
  const FlopsPerSecond in_16 = products(gpu, efficiency, sixteen, efficiency.serve_matmul, 1.0);
  const bool expanded = (weight_only(weights) && !(weights == Format::kMxfp4 && native_4)) ||
                        (weights == Format::kFp8 && !native_8) || (weights == Format::kNvfp4 && !native_4);
  rates.native_products = !expanded;
  rates.matmul_16 = in_16;
  rates.matmul = in_16;
  if (weights == Format::kFp32) rates.matmul = products(gpu, efficiency, gpu.fp32.value, efficiency.serve_matmul, 1.0);
  if (weights == Format::kFp8 && native_8)
    rates.matmul = products(gpu, efficiency, gpu.fp8.value, efficiency.serve_fp8, 1.9);
  if (weights == Format::kNvfp4 && native_4)
    rates.matmul = products(gpu, efficiency, gpu.fp4.value, efficiency.serve_fp4, 3.2);
  if (expanded) rates.matmul *= 0.84;
  const bool own_kernels = profile.expands_16_bit && weights != Format::kFp32;
  if (expanded || own_kernels) rates.matmul *= profile.product_scale;
  rates.expert_matmul = rates.matmul;
  if (weights == Format::kMxfp4)
    rates.expert_matmul = native_4 ? products(gpu, efficiency, gpu.fp4.value, efficiency.serve_fp4, 3.2) : in_16 * 0.68;
  if (weights == Format::kInt4) rates.expert_matmul *= 0.73;
  rates.head_matmul = FlopsPerSecond{0.6 * sixteen};
  rates.attention = FlopsPerSecond{0.62 * larger(gpu.bf16.value, larger(gpu.fp16.value, gpu.fp32.value))};
  if (gpu.vendor != "nvidia") rates.attention *= 0.7;

  // Memory. A multiprocessor before Blackwell takes in 12.5 bytes a clock at most, which holds back cards with few of
  // them for their bandwidth (H20). Compressed weights are expanded there too, at fewer stored bytes a clock: that is
  // why a fast-clocked RTX 4090 keeps up with an A100 at 4 bit.
  const double clocks = efficiency.fp32_per_sm_clock > 0 ? gpu.fp32.value / efficiency.fp32_per_sm_clock : 0;
  const double stream =
      limited(gpu.bandwidth.value * efficiency.decode_bandwidth, gpu.compute_capability < 10 ? clocks * 12.5 : 0, 8);
  const auto expansion = [&](double bits) {
    const double bytes_a_clock = bits > 12 ? 10.2 : bits > 6 ? 9.4 : 8.3;
    return BytesPerSecond{limited(stream, clocks * bytes_a_clock * profile.expand_scale, 3)};
  };
  rates.decode_16 = own_kernels ? expansion(16) : BytesPerSecond{stream};
  rates.decode_stream = expanded || own_kernels ? expansion(bits_of(weights)) : BytesPerSecond{stream};
  if (weights == Format::kInt8 || weights == Format::kNf4) rates.decode_stream *= profile.int8_scale;
  rates.head_stream = own_kernels ? expansion(rates.head_bytes * 8) : BytesPerSecond{stream};
  rates.expert_stream = rates.decode_stream * 0.88;
  rates.kv_stream = gpu.bandwidth * 0.72;
  rates.stream = gpu.bandwidth * 0.8;

  // About ten kernels a layer, 3.2 us each. Eager engines wait for the host instead.
  constexpr Seconds kLaunch = 9.7 * 3.2 * microsecond;
  rates.launch_per_layer = kLaunch * profile.launch_scale * (gpu.year >= 2024 ? 0.9 : 1.0);
  rates.host_per_layer = profile.host_per_layer;
  rates.host_per_step = profile.host_per_step;
  rates.host_per_sequence = profile.host_per_sequence;

  // Links.
  const Link host = pcie(gpu, true);
  rates.host_link = host.bus;
  const Link over_pcie = pcie(gpu, node.peer_access);
  rates.pcie_bus = over_pcie.bus;
  rates.pcie_latency = over_pcie.latency;
  const bool fast = node.link_kind != LinkKind::kPcie && node.link_kind != LinkKind::kNone && node.link.value > 0;
  rates.link_bus = fast ? node.link * (0.72 / 2) : over_pcie.bus;
  rates.link_latency = fast ? 10.0 * microsecond : over_pcie.latency;
  rates.network_bus = (node.network.value > 0 ? node.network : kUnknownNetwork) * (0.55 / node.gpus);
  // Sequential writing of a data-centre NVMe drive in its smallest size (Samsung PM9A3 960 GB, data sheet 2021).
  rates.disk = 1.5 * GB / second;
  rates.memory_share = profile.memory_share;
  rates.trust = profile.trust * (gpu.vendor == "nvidia" ? 1.0 : 1.5) *
                (gpu.compute_capability > 0 && gpu.compute_capability < 8.0 ? 1.4 : 1.0);
  rates.memory_share = smaller(rates.memory_share, 1.0);
  return rates;
}

}  // namespace gpuplan
