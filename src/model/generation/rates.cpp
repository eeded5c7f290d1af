// Level 2 of the generation model: what a machine, an engine and a weight format can reach.
#include <algorithm>

#include "base/math.h"
#include "model/generation/generation.h"

namespace gpuplan {
namespace {

using math::smaller;
using units::microsecond;

/// Cards with less are given smaller batches.
constexpr Bytes kLargeCard = 70 * units::GiB;

/// Peak of 16-bit products. Old cards whose 16-bit rate is a token gesture compute in 32 bit instead.
FlopsPerSecond peak_16(const Gpu& gpu, Format weights, bool half_accumulate) {
  FlopsPerSecond rate = std::max(gpu.fp16, gpu.bf16);
  if (weights == Format::kBf16 && gpu.bf16.value > 0) rate = gpu.bf16;
  if (half_accumulate && weights != Format::kBf16 && gpu.fp16_acc16.value > 0) rate = gpu.fp16_acc16;
  return std::max(rate, gpu.fp32);
}

/// The machine with so many of its GPUs: what a group of tensor ranks sees of it.
LinkRate group_rate(const Catalogue& catalogue, NodeShape node, int gpus) {
  node.gpus = std::min(node.gpus, gpus);
  if (node.busy > 0) node.busy = std::min(node.busy, gpus);
  return intra_rate(catalogue, node);
}

/// What mixtures of experts in mxfp4 keep the other weights in: files of GGUF have them in q8_0 (the mean of 4.63 and
/// 4.34 bits that is stated for gpt-oss 20b and 120b comes out as 4.62 and 4.33), checkpoints in 16 bit.
Format rest_of_mxfp4(const EngineProfile& profile, Format half) {
  return profile.reads(Format::kQ8_0) ? Format::kQ8_0 : half;
}

/// Rates of one engine on one GPU, format by format: those of the kernels alone, as far as the engine's are as good and
/// the card's power lasts.
class Reach {
 public:
  Reach(const Gpu& gpu, const Efficiency& efficiency, const EngineProfile& profile,
        const GenerationConstants& constants)
      : gpu_(gpu), e_(efficiency), p_(profile), c_(constants) {}

  ServingRate products(Format weights, double weight_bytes) const {
    ServingRate rate = serving_rate(e_, gpu_, stored(weights), activations(weights), p_.expand);
    finish(rate, weights, weight_bytes);
    return rate;
  }

  ServingRate experts(Format weights, double weight_bytes) const {
    ServingRate rate = experts_rate(e_, gpu_, stored(weights), p_.expand);
    finish(rate, weights, weight_bytes);
    return rate;
  }

 private:
  static Format stored(Format weights) {
    return weights == Format::kW8A8 ? Format::kInt8 : weights == Format::kW4A8 ? Format::kInt4 : weights;
  }
  static Activations activations(Format weights) {
    return int8_products(weights) ? Activations::kEightBit : Activations::kAsWeights;
  }

  void finish(ServingRate& rate, Format weights, double weight_bytes) const {
    const bool sixteen = rate.input_bytes == 2;
    rate.weight_bytes = weight_bytes;
    // bitsandbytes expands 4-bit weights to a matrix in memory and calls an ordinary product (Dettmers et al. 2023,
    // arXiv:2305.14314, and its matmul_4bit).
    if (p_.copies_weights(weights)) rate.copy_byte = rate.products.byte;
    if (rate.expanded) rate.products.flop = rate.products.flop / p_.product;
    // Only fp16 has 16-bit sums; what is expanded is expanded to that.
    if (sixteen && weights != Format::kBf16 && p_.half_accumulate && gpu_.fp16_acc16 > gpu_.fp16)
      rate.products.flop = rate.products.flop * (gpu_.fp16 / gpu_.fp16_acc16);
    if (weights == Format::kInt8 || weights == Format::kNf4) rate.products.byte = rate.products.byte / p_.eight_bit;
    rate.cast_bytes *= p_.casts;
    const Seconds plain_floor = e_.serve_us * microsecond;
    if (!sixteen && rate.products.floor > plain_floor)
      rate.products.floor = plain_floor + (rate.products.floor - plain_floor) * p_.casts;
    rate.products.floor *= p_.launch;
    // Kernels for one sequence multiply without the tensor cores, which would compute a whole tile of rows.
    if (rate.expanded && rate.plain_flop.value <= 0 && gpu_.fp32.value > 0)
      rate.plain_flop = Flops{1} / (gpu_.fp32 * detail::kPlain);
    const double clocks = multiprocessor_clocks(e_, gpu_);
    if (clocks > 0 && p_.own_kernels) {
      // Kernels written without the vendor's library are held back by the multiprocessors.
      if (!rate.expanded) rate.expand = Seconds{1 / (clocks * c_.own_bytes_clock)};
      else rate.products.flop = overlapped(rate.products.flop, Seconds{1 / (clocks * c_.own_flops_clock)});
    } else if (clocks > 0 && !rate.expanded && gpu_.compute_capability < 10) {
      // Cards with few multiprocessors for their bandwidth can not take in what it delivers.
      rate.products.byte = std::max(rate.products.byte, Seconds{1 / (clocks * c_.load_bytes_clock)});
    }
    // Watts decide on PCIe cards: they stay far below their data sheets.
    const double watts = rate.input_bytes < 1 ? c_.watts_4bit : rate.input_bytes == 1 ? c_.watts_8bit : 1;
    const double power = gpu_.tdp_watts * e_.tflops_per_watt * 1e12 * watts;
    if (power > 0) rate.products.flop = overlapped(rate.products.flop, Seconds{1 / power});
  }

  const Gpu& gpu_;
  const Efficiency& e_;
  const EngineProfile& p_;
  const GenerationConstants& c_;
};

}  // namespace

const EngineProfile& engine_profile(const Catalogue& catalogue, const Framework& engine) {
  static const EngineProfile kNone{};  // of a catalogue that is not complete: reads no format
  const EngineProfile* other = &kNone;
  const std::string_view fallback = engine.cuda_graphs ? "*" : "*eager";
  for (const EngineProfile& profile : catalogue.engines) {
    if (profile.name == engine.name) return profile;
    if (profile.name == fallback) other = &profile;
  }
  return *other;
}

std::optional<GenerationRates> generation_rates(const Catalogue& catalogue, const NodeShape& node,
                                                const Framework& engine, Format weights, Format kv_cache,
                                                std::optional<double> weight_bits) {
  const Gpu& gpu = *node.gpu;
  const EngineProfile& profile = engine_profile(catalogue, engine);
  const Efficiency& efficiency = efficiency_of(catalogue, gpu);
  const GenerationConstants& c = catalogue.generation_constants;
  const FlopsPerSecond sixteen = peak_16(gpu, weights, profile.half_accumulate);
  if (!profile.reads(weights) || !profile.keeps_cache(kv_cache) || !stores_cache(kv_cache) || !(sixteen.value > 0) ||
      !(gpu.bandwidth.value > 0))
    return std::nullopt;
  // Halves are stored everywhere, and multiplied in 32 bit where nothing else does it.
  if (weights == Format::kBf16 && !(gpu.bf16.value > 0 || gpu.fp16.value > 0)) return std::nullopt;
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
  rates.errors = &catalogue.errors;
  rates.efficiency = &efficiency;
  rates.weights = weights;
  rates.kv_cache = kv_cache;
  rates.weight_bytes = weight_bits.value_or(bits_of(weights)) / 8;
  // GGUF files keep the head in q6_k, EXL2 ones in 6 bits; others leave embedding and head in 16 bit.
  rates.head_bytes = weights == Format::kFp32                       ? 4.0
                     : is_gguf(weights) && weights != Format::kQ8_0 ? bytes_of(Format::kQ6K)
                     : weights == Format::kQ8_0                     ? rates.weight_bytes
                     : weights == Format::kExl2                     ? 0.75
                     : weights == Format::kMxfp4                    ? bytes_of(rest_of_mxfp4(profile, Format::kFp16))
                                                                    : 2.0;
  rates.kv_bytes = bytes_of(kv_cache);

  const Reach reach(gpu, efficiency, profile, c);
  const bool brain = gpu.bf16.value > 0 && (weights == Format::kBf16 || !profile.half_accumulate);
  const Format half = weights == Format::kFp32 ? Format::kFp32 : brain ? Format::kBf16 : Format::kFp16;
  const Format rest = weights == Format::kMxfp4 ? rest_of_mxfp4(profile, half) : half;
  rates.blocks = reach.products(weights, rates.weight_bytes);
  rates.blocks_16 = reach.products(rest, bytes_of(rest));
  rates.experts = reach.experts(weights, rates.weight_bytes);
  rates.head = rates.head_bytes < 2 ? reach.products(Format::kQ6K, rates.head_bytes) : rates.blocks_16;
  rates.head.weight_bytes = rates.head_bytes;
  rates.prompt_attention = profile.attention;
  rates.attention_share =
      profile.attention == PromptAttention::kNewest ? efficiency.attention : efficiency.attention_common;
  rates.attention = sixteen * rates.attention_share;

  rates.decode_stream = Bytes{1} / std::max(rates.blocks.products.byte, rates.blocks.expand);
  rates.stream = gpu.bandwidth * efficiency.bandwidth;
  const double modern = gpu.year >= 2024 ? c.modern : 1.0;
  rates.launch_per_layer = c.launch_us * profile.launch * modern * microsecond;
  rates.host_per_layer = profile.host_layer_us * microsecond;
  rates.host_per_step = profile.host_step_us * modern * microsecond;
  rates.host_per_sequence = profile.host_sequence_us * modern * microsecond;

  rates.groups = {group_rate(catalogue, node, 2), group_rate(catalogue, node, 4),
                  group_rate(catalogue, node, node.gpus)};
  // The machines that larger groups were measured on send all of their traffic between two processors; most boxes do
  // better.
  if (!node.direct_link() && node.talking() > 4)
    rates.groups[2].bus = std::max(rates.groups[2].bus, rates.groups[1].bus * c.crowded);
  rates.network = network_rate(catalogue, node);
  const bool rack = node.link.value > 0 && node.gpus > 1;
  rates.link_span = rack ? std::max(node.gpus, gpu.link_domain) : node.gpus;
  if (node.direct_link() && node.gpus > 1 && profile.one_shot) rates.one_shot = c.one_shot_us * microsecond;
  const double clocks = multiprocessor_clocks(efficiency, gpu);
  if ((kv_cache == Format::kInt8 || kv_cache == Format::kInt4) && clocks > 0)
    rates.cache_expand = Seconds{1 / (clocks * c.cache_bytes_clock)};
  rates.host_link = host_rate(gpu);
  // vLLM's default limits, `get_batch_defaults` of its arg_utils.py: by memory, of any vendor, and cautious on Ampere.
  // Others are alike.
  const bool large = gpu.memory.value >= kLargeCard.value && gpu.architecture != "Ampere";
  rates.chunk_tokens = large ? c.chunk_tokens : smaller(c.chunk_tokens, c.chunk_small);
  rates.most_in_flight = large ? c.most_in_flight : smaller(c.most_in_flight, c.in_flight_small);
  rates.slots = profile.slots > 0 ? profile.slots : rates.most_in_flight;
  rates.disk = BytesPerSecond{catalogue.assumptions.disk.value.p50};
  return rates;
}

}  // namespace gpuplan
