#include "model/generation_step.h"

#include <cmath>

#include "base/math.h"
#include "model/generation_engines.h"

namespace gpuplan {
namespace {

using units::microsecond;
using units::millisecond;

double larger(double a, double b) { return a > b ? a : b; }
double smaller(double a, double b) { return a < b ? a : b; }

/// Reading weights and multiplying overlap in part: between the larger of both and their sum. At equal times 1.6 of
/// one, as a norm of power 1.45 gives, which fits decode at batch 50 to 500; a square root costs less than powers.
double overlap(double a, double b) { return std::sqrt(a * a + b * b + 0.6 * a * b); }

/// Rows that a product computes for `tokens` real ones: tiles are padded.
double padded(double tokens) { return tokens + 42 * tokens / (tokens + 42); }

struct Pass {
  double read = 0;     ///< seconds of reading weights
  double compute = 0;  ///< seconds beyond that
  void add(double reading, double products) {
    read += reading;
    compute += overlap(reading, products) - reading;
  }
};

/// All weights of the blocks for `tokens` tokens on one tensor rank (all stages together).
void add_blocks(Pass& pass, const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                double tokens) {
  const bool sixteen = rates.weights == Format::kMxfp4 && network.mixed_16_bit;
  const double dense = network.dense * network.loops / cut.tp;
  const double dense_bytes = sixteen ? 2.0 : rates.weight_bytes;
  pass.add(dense * dense_bytes / (sixteen ? rates.decode_16 : rates.decode_stream).value,
           2 * dense * padded(tokens) / (sixteen ? rates.matmul_16 : rates.matmul).value);
  if (!network.moe()) return;
  // Each token picks k of E experts: a given one is missed by all of B tokens with probability (1 - k/E)^B.
  const double together = tokens * cut.ep;
  const double chosen = network.experts_per_token / network.expert_count;
  const double touched = chosen < 1 ? -math::expm1(together * math::log1p(-chosen)) : 1.0;
  const double rows = together * network.experts_per_token / (network.expert_count * touched);
  const double experts = network.experts * network.loops * touched / (cut.tp * cut.ep);
  const double width = cut.ep > 1 ? network.expert_width : network.expert_width / cut.tp;
  const double narrow = width / (width + 1080);  // grouped products of narrow experts leave multiprocessors idle
  pass.add(experts * rates.weight_bytes / rates.expert_stream.value,
           2 * experts * (rows + 18) / (rates.expert_matmul.value * narrow));
}

/// Keys that one query sees on average in prompts of `tokens`, over all layers.
double visible_keys(const NetworkWork& network, double tokens) {
  const double all = network.causal ? tokens / 2 : tokens;
  if (network.window <= 0 || tokens <= network.window) return all;
  const double window =
      network.causal ? network.window - network.window * network.window / (2 * tokens) : network.window;
  return all * (1 - network.window_share) + window * network.window_share;
}

/// All-reduces (two a layer) and expert exchanges (there and back) of `tokens` tokens in 16 bit.
double traffic_seconds(const NetworkWork& network, const GenerationCut& cut, double tokens) {
  double seconds = 0;
  const double layers = network.layers * network.loops;
  if (cut.tp > 1)
    seconds += 2 * layers * (cut.reduce_latency.value + 2 * tokens * network.hidden * cut.reduce_seconds_per_byte);
  if (cut.ep > 1 && network.moe())
    seconds += 2 * layers *
               (2 * cut.exchange_latency.value +
                0.5 * network.experts_per_token * tokens * 2 * network.hidden * cut.exchange_seconds_per_byte);
  return seconds;
}

double launch_seconds(const NetworkWork& network, const GenerationRates& rates) {
  return network.layers * network.loops * rates.launch_per_layer.value * (network.moe() ? 1.3 : 1.0);
}

/// Eager engines loop over the experts in Python.
double host_layers(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut) {
  const double loop = network.moe() && rates.host_per_layer.value > 0 ? 1 + 0.1 * network.expert_count : 1.0;
  return network.layers * network.loops * cut.host_per_layer.value * loop;
}

}  // namespace

GenerationCut generation_cut(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  GenerationCut cut;
  cut.tp = strategy.tp;
  cut.pp = strategy.pp;
  cut.ep = strategy.ep;
  const int gpus = rates.node->gpus;
  const auto link = [&](int ranks, Seconds& latency, BytesPerSecond& bus) {
    const bool pairs = rates.node->link_kind == LinkKind::kNvlinkPairs && ranks > 2;
    const bool slow = pairs || rates.link_bus == rates.pcie_bus;
    bus = slow ? rates.pcie_bus : rates.link_bus;
    latency = slow ? rates.pcie_latency : rates.link_latency;
    if (slow && ranks > 4) bus *= 0.8;  // two root complexes: all traffic crosses the link between the processors
    if (ranks > gpus) {
      if (rates.network_bus < bus) bus = rates.network_bus;
      latency = 39.0 * microsecond;
    }
  };
  if (strategy.tp > 1) {
    BytesPerSecond bus{};
    link(strategy.tp, cut.reduce_latency, bus);
    cut.reduce_latency *= 1 + 0.35 * math::log2(cut.tp);
    cut.reduce_seconds_per_byte = 2 * (cut.tp - 1) / cut.tp / bus.value;
  }
  if (strategy.ep > 1) {
    BytesPerSecond bus{};
    link(strategy.ep * strategy.tp, cut.exchange_latency, bus);
    cut.exchange_seconds_per_byte = 1 / bus.value;
  }
  cut.host_per_layer = rates.host_per_layer;
  // Reading activations out of the layers needs hooks, and hooks rule out CUDA graphs: the host launches every kernel.
  if (work.stored_per_sample.value > 0 && !work.phase->forward_only && cut.host_per_layer.value == 0)
    cut.host_per_layer = 0.72 * millisecond;
  return cut;
}

DecodeStep decode_step(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                       double sequences, double context) {
  DecodeStep step;
  Pass pass;
  add_blocks(pass, network, rates, cut, sequences);
  const double head = network.head / cut.tp;
  pass.add(head * rates.head_bytes / rates.head_stream.value, 2 * head * padded(sequences) / rates.head_matmul.value);
  step.weights = Seconds{pass.read};
  step.compute = Seconds{pass.compute};

  double reading = sequences * cache_memory(network, rates, cut, context).value * cut.pp / rates.kv_stream.value;
  // Eager code appends by copying the whole cache, and repeats keys and values for every group of query heads.
  if (rates.profile->copies_cache && network.kv_heads < network.heads && !network.latent())
    reading *= 1 + 3.3 * (1 + network.heads / network.kv_heads);
  double kv = reading;
  if (network.latent()) {
    // With absorbed projections every head multiplies with the latent vector twice: 2 x 2 x 576 operations a head and
    // cached token (DeepSeek-V2, 2024), enough to be compute-bound when heads stay together.
    const double products = 4 * sequences * context * network.latent_width * network.heads / cut.tp * network.layers *
                            network.loops / rates.attention.value;
    kv = std::sqrt(reading * reading + products * products);
  }
  step.kv = Seconds{kv};
  step.launch = Seconds{launch_seconds(network, rates)};
  step.traffic = Seconds{traffic_seconds(network, cut, sequences)};
  step.hops = (cut.pp - 1) * 80.0 * microsecond;

  double host = rates.host_per_step.value + rates.host_per_sequence.value * sequences;
  if (cut.host_per_layer.value > 0) {
    // Host and GPU work side by side; the slower one decides.
    const double gpu = step.total().value;
    const double cpu = host_layers(network, rates, cut);
    const double gpu2 = gpu * gpu, cpu2 = cpu * cpu;
    host += std::sqrt(std::sqrt(gpu2 * gpu2 + cpu2 * cpu2)) - gpu;
  }
  step.host = Seconds{host};
  return step;
}

Seconds prefill_time(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                     double sequences, double tokens) {
  if (!(tokens > 0) || !(sequences > 0)) return Seconds{};
  const double all = sequences * tokens;
  const double layers = network.layers * network.loops;
  Pass pass;
  add_blocks(pass, network, rates, cut, all);
  const double head = network.head / cut.tp;
  if (head > 0)  // only the last position of a prompt is scored
    pass.add(head * rates.head_bytes / rates.head_stream.value, 2 * head * padded(sequences) / rates.head_matmul.value);
  const double pairs = all * visible_keys(network, tokens);
  const double attention =
      4 * pairs * layers * network.attention_width / cut.tp / (rates.attention.value * (tokens / (tokens + 1000)));
  const double elementwise = 32 * all * layers * network.hidden / (rates.stream.value * std::sqrt(cut.tp));
  double fixed = 3e-3;
  if (cut.host_per_layer.value > 0) fixed += 0.5 * host_layers(network, rates, cut);
  const double hops = (cut.pp - 1) * 80e-6;
  double working = pass.read + pass.compute + attention + elementwise + traffic_seconds(network, cut, all);
  if (cut.pp > 1 && rates.profile->prompt_chunk > 0) {
    // Chunks of a prompt fill the stages of a layer split one after the other; 0.42 of the time stays serial (fitted).
    const double chunks = std::ceil(tokens / rates.profile->prompt_chunk);
    working *= 0.42 + 0.58 * (chunks + cut.pp - 1) / (chunks * cut.pp);
  }
  return Seconds{working + launch_seconds(network, rates) + fixed + hops};
}

Bytes weight_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut) {
  const bool sixteen = rates.weights == Format::kMxfp4 && network.mixed_16_bit;
  const double dense = network.dense * (sixteen ? 2.0 : rates.weight_bytes);
  const double experts = network.experts * rates.weight_bytes / cut.ep;
  // The fullest stage of a layer split has a whole number of layers and the larger of the two tables.
  const double share = network.layers > 0 ? std::ceil(network.layers / cut.pp) / network.layers : 1.0;
  const double tables = cut.pp > 1 ? larger(network.embedding, network.head) : network.embedding + network.head;
  // 1.5 % more than the sum: padding of tables and allocation granularity, measured on published runs.
  return Bytes{1.015 * ((dense + experts) * smaller(share, 1.0) + tables * rates.head_bytes) / cut.tp};
}

Bytes cache_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut, double tokens) {
  const double windowed = network.window > 0 ? smaller(tokens, network.window) : tokens;
  const double elements = (network.kv_full * tokens + network.kv_window * windowed) * network.loops;
  const double ranks = network.latent() ? 1.0 : smaller(cut.tp, network.kv_heads);
  return Bytes{elements * rates.kv_bytes / (ranks * cut.pp)};
}

}  // namespace gpuplan
