#include "model/generation/step.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace gpuplan {
namespace {

using units::microsecond;

using math::larger;
using math::smaller;

constexpr double kScanChunk = 256;  // tokens

struct PassTime {
  double read = 0;     ///< seconds of reading weights
  double compute = 0;  ///< seconds beyond that
  void add(double reading, double whole) {
    read += reading;
    compute += whole - reading;
  }
};

/// 4-bit checkpoints of some mixtures of experts keep all but the experts in 16 bit.
const ServingRate& dense_rate(const NetworkWork& network, const GenerationRates& rates) {
  return rates.weights == Format::kMxfp4 && network.mixed_16_bit ? rates.blocks_16 : rates.blocks;
}

void add_product(PassTime& pass, const ServingRate& rate, double rows, double columns, double inner, double times) {
  const double reading = rate.weight_bytes * columns * inner * (rate.products.byte.value + rate.expand.value);
  const double whole = matmul_time(rate, rows, columns, inner).value;
  pass.add(times * smaller(reading, whole), times * whole);
}

/// Routed experts of all layers for `tokens` tokens of each replica that shares them.
void add_experts(PassTime& pass, const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                 double tokens) {
  ExpertLayer layer;
  layer.tokens = tokens * cut.ep;
  layer.hidden = network.hidden;
  layer.width = network.expert_width;
  layer.top_k = network.experts_per_token;
  layer.experts = network.expert_count;
  layer.tp = cut.tp;
  layer.ep = cut.ep;
  layer.matrices = network.gated ? 3 : 2;
  layer.skew = cut.ep > 1 ? rates.constants->expert_imbalance - 1 : 0;
  const double layers = network.expert_layers * network.loops;
  const double touched = touched_experts(layer.tokens, layer.top_k, layer.experts, rates.constants->routing_skew);
  const double parameters = network.experts * network.loops * touched / (layer.experts * cut.tp * cut.ep);
  const bool expands = rates.experts.expanded && !rates.profile->own_kernels;
  const double slower =
      rates.constants->expert_time * rates.profile->experts * (expands ? rates.constants->expanded_experts : 1);
  const double whole = layers * experts_time(rates.experts, layer, touched).value * slower;
  pass.add(smaller(parameters * rates.experts.weight_bytes * rates.experts.products.byte.value, whole), whole);
}

/// All weights of the blocks for `tokens` tokens on one tensor rank (all stages together).
void add_blocks(PassTime& pass, const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                double tokens) {
  const ServingRate& rate = dense_rate(network, rates);
  for (const WeightMatrix& matrix : network.matrices) {
    if (!(matrix.layers > 0)) break;
    const double columns = matrix.split_columns ? matrix.columns / cut.tp : matrix.columns;
    const double inner = matrix.split_columns ? matrix.inner : matrix.inner / cut.tp;
    add_product(pass, rate, tokens, columns, inner, matrix.layers * network.loops);
  }
  const double vectors = network.vectors * network.loops * 2 * rates.blocks_16.products.byte.value;
  pass.add(vectors, vectors);
  if (network.moe()) add_experts(pass, network, rates, cut, tokens);
}

/// The output matrix for so many positions.
void add_head(PassTime& pass, const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
              double positions) {
  if (network.head > 0)
    add_product(pass, rates.head, positions, network.head / network.hidden / cut.tp, network.hidden, 1);
}

/// Keys that one query sees on average in prompts of `tokens`, over all layers.
double visible_keys(const NetworkWork& network, double tokens) {
  const double all = network.causal ? tokens / 2 : tokens;
  if (network.window <= 0 || tokens <= network.window) return all * network.attention_share;
  const double window =
      network.causal ? network.window - network.window * network.window / (2 * tokens) : network.window;
  return all * (network.attention_share - network.window_share) + window * network.window_share;
}

/// Attention of all layers, some of which may see a window only, and others nothing: `time(attention)` is that of one.
template <class Attention, class Time>
double all_layers(const NetworkWork& network, Attention attention, const Time& time) {
  const double layers = network.layers * network.loops;
  double seconds = layers * (network.attention_share - network.window_share) * time(attention).value;
  if (network.window_share > 0) {
    attention.window = network.window;
    seconds += layers * network.window_share * time(attention).value;
  }
  return seconds;
}

/// The states of one sequence on one rank, in 16 bit whatever the cache has: engines keep them so.
Bytes state_memory(const NetworkWork& network, const GenerationCut& cut) {
  return Bytes{2 * network.state * network.loops / (cut.tp * cut.pp)};
}

/// Attention of all layers over the cache.
double cache_seconds(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                     double sequences, double context, double positions) {
  const GenerationConstants& c = *rates.constants;
  CachedAttention attention;
  attention.batch = sequences;
  attention.cached = context;
  attention.heads = network.heads / cut.tp * positions;
  attention.latent = network.latent();
  attention.kv_heads = network.latent() ? 1 : larger(network.kv_heads / cut.tp, 1);
  attention.head_dim = network.latent() ? network.latent_width : network.attention_width / network.heads;
  attention.kv_bytes = rates.kv_bytes;
  attention.expansion = rates.profile->cache_expand;
  attention.start = rates.profile->launch;
  attention.waves = rates.profile->cache_start;
  double seconds = all_layers(network, attention, [&](const CachedAttention& each) {
    return cached_attention_time(*rates.efficiency, *rates.node->gpu, each);
  });
  // States are read and written whole for every token.
  const double states = sequences * state_memory(network, cut).value * cut.pp;
  if (states > 0) {
    const double starts =
        network.layers * network.loops * network.state_share * rates.efficiency->cache_us * microsecond.value;
    seconds += starts * rates.profile->launch + 2 * states / rates.stream.value;
  }
  const double cache = sequences * cache_memory(network, rates, cut, context).value * cut.pp - states;  // on all stages
  if (rates.cache_expand.value > 0) {
    const double expanding = cache * rates.cache_expand.value;
    seconds = std::sqrt(seconds * seconds + expanding * expanding);
  }
  seconds *= c.cache_time;
  // Eager code appends by copying the whole cache, and repeats keys and values for every group of query heads.
  if (rates.profile->copies_cache && !network.latent()) {
    const double repeated = network.kv_heads < network.heads ? network.heads / network.kv_heads : 0;
    seconds += cache * c.kv_copy * (1 + repeated) / rates.stream.value;
  }
  return seconds;
}

/// A ring, or for short messages one step in which every rank reads the vectors of all others.
double reduce_seconds(const GenerationCut& cut, Bytes size) {
  const Seconds ring = all_reduce_time(cut.reduce, size, cut.tp);
  if (cut.one_shot.value <= 0) return ring.value;
  return std::min(ring, cut.one_shot + size * (cut.tp - 1) / cut.reduce.bus).value;
}

/// All-reduces (two a layer) and expert exchanges (there and back) of `tokens` tokens in 16 bit.
double traffic_seconds(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                       double tokens) {
  double seconds = 0;
  const double layers = network.layers * network.loops;
  const Bytes hidden{2 * tokens * network.hidden};
  if (cut.tp > 1) seconds += 2 * layers * reduce_seconds(cut, hidden);
  if (cut.ep > 1 && network.moe()) {
    // A token goes once to each other rank that has one of its experts: of k experts on n ranks, to
    // (n - 1) (1 - (1 - 1/n)^k) of them.
    const double missed = math::exp(network.experts_per_token * math::log1p(-1 / cut.ep));
    const Bytes sent = hidden * (rates.constants->exchange_share * cut.ep * (1 - missed));
    seconds += 2 * network.expert_layers * network.loops * all_to_all_time(cut.exchange, sent, cut.ep).value;
  }
  return seconds;
}

double launch_seconds(const NetworkWork& network, const GenerationRates& rates) {
  return network.layers * network.loops * rates.launch_per_layer.value *
         (network.moe() ? rates.constants->launch_experts : 1.0);
}

double host_layers(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut) {
  const bool loop = network.moe() && rates.profile->loops_experts;
  return network.layers * network.loops * cut.host_per_layer.value *
         (loop ? 1 + rates.constants->eager_experts * network.expert_count : 1.0);
}

/// Fused attention of all layers over prompts; `pairs` of tokens in a layer.
double prompt_attention(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                        double sequences, double tokens, double pairs) {
  const double width = network.attention_width / network.heads;
  if (!network.causal) {
    const double flops = 4 * pairs * (network.layers * network.loops) * network.attention_width / cut.tp;
    return attention_time(*rates.efficiency, rates.attention, flops, 128 / smaller(width, 128), tokens).value;
  }
  CausalAttention attention;
  attention.batch = sequences;
  attention.tokens = tokens;
  attention.heads = network.heads / cut.tp;
  attention.head_dim = width;
  attention.kv_bytes = rates.kv_bytes;
  const auto time = [&](const CausalAttention& each) {
    return prompt_attention_time(*rates.efficiency, *rates.node->gpu, each, rates.attention_share);
  };
  double seconds = all_layers(network, attention, time);
  if (network.state_share > 0) {
    // Recurrences run over a prompt in chunks, inside which they work like attention: 256 tokens in Mamba2, 64 to 256
    // elsewhere (Dao and Gu 2024, arXiv:2405.21060, section 6).
    attention.window = kScanChunk;
    seconds += network.layers * network.loops * network.state_share * time(attention).value;
  }
  return seconds;
}

}  // namespace

GenerationCut generation_cut(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  const GenerationConstants& c = *rates.constants;
  GenerationCut cut;
  cut.tp = strategy.tp;
  cut.pp = strategy.pp;
  cut.ep = strategy.ep;
  const auto link = [&](int ranks) {
    LinkRate rate = rates.groups[ranks <= 2 ? 0 : ranks <= 4 ? 1 : 2];
    if (ranks > rates.link_span) {
      rate.bus = ring_across(rate.bus, rates.network.bus);
      rate.latency = rates.network.latency;
    }
    return rate;
  };
  if (strategy.tp > 1) {
    cut.reduce = link(strategy.tp);
    for (Seconds LinkRate::* const part : {&LinkRate::latency, &LinkRate::hop, &LinkRate::fill})
      cut.reduce.*part = cut.reduce.*part * c.reduce_latency;
    cut.reduce.bus = cut.reduce.bus / c.reduce_time;
    if (strategy.tp <= rates.link_span) cut.one_shot = rates.one_shot;
  }
  if (strategy.ep > 1) {
    const int ranks = strategy.ep * strategy.tp;
    cut.exchange = link(ranks);
    // Every GPU sends by its own share of the network, while a ring crosses it once for all.
    if (ranks > rates.link_span) cut.exchange.bus = std::min(cut.exchange.bus, rates.network.bus / rates.node->gpus);
  }
  cut.host_per_layer = rates.host_per_layer;
  // Reading activations out of the layers needs hooks, and hooks rule out CUDA graphs: the host launches every kernel.
  if (work.stored_per_sample.value > 0 && !work.phase->forward_only && cut.host_per_layer.value == 0)
    cut.host_per_layer = c.hook_layer_us * microsecond;
  return cut;
}

DecodeStep decode_step(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                       double sequences, double context, double positions) {
  const GenerationConstants& c = *rates.constants;
  const double slower = c.decode_time * rates.profile->time;
  DecodeStep step;
  PassTime pass;
  add_blocks(pass, network, rates, cut, sequences * positions);
  add_head(pass, network, rates, cut, sequences * positions);
  // Large reads run at the bandwidth that kernels reach; what an engine adds to a step are gaps, not bytes.
  step.weights = Seconds{pass.read * rates.profile->time};
  step.compute = Seconds{pass.compute * slower};

  step.kv = Seconds{cache_seconds(network, rates, cut, sequences, context, positions) * slower};
  step.launch = Seconds{launch_seconds(network, rates)};
  step.traffic = Seconds{traffic_seconds(network, rates, cut, sequences * positions)};
  step.hops = (cut.pp - 1) * c.hop_us * microsecond;

  double host = rates.host_per_step.value + rates.host_per_sequence.value * sequences;
  if (cut.host_per_layer.value > 0) {
    // Host and GPU work side by side; the slower one decides.
    const Seconds gpu = step.total();
    host += (overlapped(gpu, Seconds{host_layers(network, rates, cut)}) - gpu).value;
  }
  step.host = Seconds{host};
  return step;
}

Seconds prefill_time(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                     double sequences, double tokens) {
  if (!(tokens > 0) || !(sequences > 0)) return Seconds{};
  const GenerationConstants& c = *rates.constants;
  const double all = sequences * tokens;
  const double layers = network.layers * network.loops;
  PassTime pass;
  add_blocks(pass, network, rates, cut, all);
  add_head(pass, network, rates, cut, sequences);  // only the last position of a prompt is scored
  const double pairs = all * visible_keys(network, tokens);
  double attention = prompt_attention(network, rates, cut, sequences, tokens, pairs);
  if (rates.prompt_attention == PromptAttention::kScores)
    attention += c.eager_scores * pairs * layers * network.heads / cut.tp / rates.stream.value;
  const double elementwise = c.elementwise * all * layers * network.hidden / (rates.stream.value * std::sqrt(cut.tp));
  double working = (pass.read + pass.compute + attention + elementwise) * c.prefill_time * rates.profile->time *
                       rates.profile->prompts +
                   traffic_seconds(network, rates, cut, all);
  if (cut.pp > 1 && rates.profile->prompt_chunk > 0) {
    // Chunks of a prompt fill the stages of a layer split one after the other; part of the time stays serial.
    const double chunks = std::ceil(tokens / rates.profile->prompt_chunk);
    working *= c.chunk_serial + (1 - c.chunk_serial) * (chunks + cut.pp - 1) / (chunks * cut.pp);
  }
  const double fixed = c.prefill_fixed_ms * 1e-3 + c.eager_prefill * host_layers(network, rates, cut);
  return Seconds{working + launch_seconds(network, rates) + fixed} + (cut.pp - 1) * c.hop_us * microsecond;
}

Bytes weight_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut) {
  const double dense = network.dense * dense_rate(network, rates).weight_bytes;
  const double experts = network.experts * rates.weight_bytes / cut.ep;
  // The fullest stage of a layer split has a whole number of layers and the larger of the two tables.
  const double share = network.layers > 0 ? std::ceil(network.layers / cut.pp) / network.layers : 1.0;
  const double looked_up = rates.profile->host_tables ? 0 : network.embedding;
  const double tables = cut.pp > 1 ? larger(looked_up, network.head) : looked_up + network.head;
  return Bytes{rates.constants->weight_padding *
               ((dense + experts) * smaller(share, 1.0) + tables * rates.head_bytes + 2 * network.beside) / cut.tp};
}

Bytes cache_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut, double tokens) {
  const double windowed = network.window > 0 ? smaller(tokens, network.window) : tokens;
  const double elements = (network.kv_full * tokens + network.kv_window * windowed) * network.loops;
  const double ranks = network.latent() ? 1.0 : smaller(cut.tp, network.kv_heads);
  return Bytes{elements * rates.kv_bytes / (ranks * cut.pp)} + state_memory(network, cut);
}

}  // namespace gpuplan
