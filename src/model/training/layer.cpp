// One micro-batch through the layers of all networks on one rank.
#include "model/training/layer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/communication.h"
#include "model/training/activations.h"

namespace gpuplan {

double padded_tokens(const TrainingWork& work, int micro_batch) {
  constexpr int kLast = 10;
  const auto n = static_cast<unsigned>(std::max(1, micro_batch));
  const int low = static_cast<int>(std::bit_width(n)) - 1;
  if (low >= kLast) return work.padded[kLast];
  const double step = static_cast<double>(n) / static_cast<double>(1U << low) - 1;
  return work.padded[low] + (work.padded[low + 1] - work.padded[low]) * step;
}

namespace {

struct Pass {
  Seconds forward{}, backward{};
};

struct Context {
  const TrainingRates& rates;
  const LayerCut& cut;
  const ModelWork& model;
  const TrainingConstants& constants;
  double tokens = 0;  ///< of the micro-batch on this rank: as they are on average for time, at most for memory
  double length = 0;  ///< of one sequence, likewise
};

/// Forward C = A B, backward A' = C' Bt for the layer before, B' = At C' for the weights.
Pass linear(const MatmulRate& rate, const ModelWork& model, double rows, double columns, double inner,
            double groups = 1) {
  Pass pass;
  pass.forward = matmul_time(rate, rows, columns, inner, groups);
  if (model.backward_inputs) pass.backward += matmul_time(rate, rows, inner, columns, groups);
  if (model.backward_weights) pass.backward += matmul_time(rate, columns, inner, rows, groups);
  return pass;
}

Pass products(const Context& c) {
  Pass sum;
  for (const Product& p : c.model.products) {
    const Pass one = linear(c.rates.blocks, c.model, c.tokens, p.split_columns ? p.columns / c.cut.tp : p.columns,
                            p.split_inner ? p.inner / c.cut.tp : p.inner);
    sum.forward += one.forward * p.count;
    sum.backward += one.backward * p.count;
  }
  if (!c.model.expert_products.empty()) {
    // Each of the local experts gets the tokens of ep ranks that chose it, padded to whole tiles of 128 rows.
    const double grouped = c.constants.grouped_products;
    const double local = std::max(1.0, c.model.experts / c.cut.ep);
    const double chosen = c.tokens * c.model.experts_per_token * c.cut.ep / c.model.experts;
    const double rows = std::max(1.0, std::ceil(chosen / 128)) * 128;
    for (const Product& p : c.model.expert_products) {
      const Pass one = linear(c.rates.blocks, c.model, rows, p.split_columns ? p.columns / c.cut.tp : p.columns,
                              p.split_inner ? p.inner / c.cut.tp : p.inner, local);
      sum.forward += one.forward * (p.count * grouped);
      sum.backward += one.backward * (p.count * grouped);
    }
  }
  return sum;
}

/// Rate of the fused kernel asked for; cuDNN's keeps up with the newest.
FlopsPerSecond fused_attention(const TrainingRates& r, AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::kFlash1:
      return r.attention_old;
    case AttentionKernel::kFlash2:
      return r.attention_common;
    case AttentionKernel::kFlash3:
    case AttentionKernel::kCudnn:
      return r.attention_newest;
    default:
      return r.attention;
  }
}

/// Pairs of tokens that one sequence's attention looks at.
double pairs(const ModelWork& m, double length) {
  const double all = length * length * (m.causal ? 0.5 : 1);
  if (m.window_share <= 0 || m.window >= length) return all;
  const double near = m.causal ? length * m.window - 0.5 * m.window * m.window : length * m.window;
  return all * (1 - m.window_share) + std::min(near, all) * m.window_share;
}

Pass attention(const Context& c) {
  const ModelWork& m = c.model;
  if (m.attention_flops <= 0) return {};
  // Contexts are cut so that every rank has early queries and late ones, which see more keys.
  const double sequences = c.tokens / c.length;
  const bool learns = m.backward_inputs || m.backward_weights;
  Pass pass;
  if (c.cut.attention != AttentionKernel::kEager) {
    // Dao 2023 (arXiv:2307.08691): backward has 2.5 times the operations of forward, at a lower rate. Short sequences
    // reach less.
    const double flops = m.attention_flops * pairs(m, c.length) * sequences / c.cut.tp;
    const Seconds forward = attention_time(*c.rates.efficiency, fused_attention(c.rates, c.cut.attention), flops,
                                           m.attention_narrow, c.length);
    pass.forward = forward;
    if (learns) pass.backward = forward * c.constants.attention_backward;
    return pass;
  }
  // Materialised scores: two batched products over all pairs, and passes over the score matrix, fewer where softmax,
  // mask and dropout are one operation.
  const double all_pairs = c.length * c.length * sequences;
  const double flops = m.attention_flops * all_pairs / c.cut.tp;
  const double score_bytes = all_pairs * m.score_heads / c.cut.tp * c.rates.element_bytes;
  const double passes =
      c.rates.fused || c.rates.compiled_kernels ? c.constants.eager_passes_fused : c.constants.eager_passes;
  const Seconds once = Seconds{flops / (c.rates.eager_attention.value * m.eager_scale)} +
                       Seconds{score_bytes * passes / 3 / c.rates.stream.value};
  pass.forward = once;
  if (learns) pass.backward = once * 2;
  return pass;
}

Pass elementwise(const Context& c) {
  const ModelWork& m = c.model;
  const double fusion = c.constants.elementwise * (c.rates.compiled_kernels ? c.constants.elementwise_compiled : 1);
  const bool casts = is_eight_bit(c.rates.precision) || c.rates.precision == Precision::kNvfp4;
  const bool unfused = !c.rates.compiled_kernels && !c.rates.fused;
  const double steps =
      unfused ? m.unfused_norms * c.constants.norm_passes + m.unfused_rotary * c.constants.rotary_passes : 0;
  const double elements = m.stream * fusion + steps;
  // Without sequence parallelism every tensor rank runs norms and residuals over all tokens.
  const double again = c.rates.sequence_parallel ? 0 : m.stream_whole * fusion * (c.cut.tp - 1);
  const Bytes moved{(elements + again) * c.tokens / c.cut.tp * c.rates.element_bytes};
  // Tensor ranks share out what adapters read and add as they do what the layers beside them give.
  const Bytes adapters{m.adapter_stream * c.tokens / c.cut.tp * c.rates.element_bytes};
  Pass pass;
  pass.forward = (moved + adapters) / c.rates.stream;
  const bool learns = m.backward_inputs || m.backward_weights;
  if (learns) pass.backward = (moved * c.constants.elementwise_backward + adapters * 2) / c.rates.stream;
  if (casts) {
    // Inputs of products forward, gradients of their outputs backward; weights with every micro-batch where the
    // framework keeps no copies of them.
    const TrainingSoftware& software = *c.rates.software_row;
    const double each = software.cast_bytes / c.cut.tp;
    const double weights = software.eight_bit_copies > 0
                               ? 0
                               : m.params.attention + m.params.mlp + m.params.shared + m.params.experts / c.cut.ep;
    pass.forward += Bytes{(m.cast_stream * c.tokens + weights) * each} / c.rates.stream;
    if (learns) pass.backward += Bytes{m.kept_outputs * c.tokens * each} / c.rates.stream;
  }
  return pass;
}

Seconds head(const Context& c) {
  const ModelWork& m = c.model;
  if (m.vocab <= 0) return {};
  const double rows = std::max(1.0, c.tokens * m.scored(c.constants));
  const double columns = m.vocab / c.cut.tp;
  const Pass pass = linear(c.rates.head, m, rows, columns, m.boundary);
  const bool learns = m.backward_inputs || m.backward_weights;
  // Scores are written, read by the loss in 32 bit, and their gradient written and read; one kernel that computes loss
  // and gradient in place reads and writes what it has in 16 bit once more.
  constexpr double kInPlace = 6;
  const double bytes = !learns ? 4 : c.rates.fused_loss > 0 ? kInPlace : c.constants.head_bytes;
  return (pass.forward + pass.backward) * c.rates.head_factor +
         Bytes{rows * columns * bytes} / c.rates.stream * c.rates.time_factor;
}

Seconds tensor_traffic(const Context& c, double passes) {
  const ModelWork& m = c.model;
  const double per_machine = c.rates.node->gpus;
  const double linked = c.rates.link_span;
  Seconds sum{};
  if (c.cut.tp > 1) {
    // Two all-reduces a layer and pass (Shoeybi et al. 2019, arXiv:1909.08053).
    const bool inside = c.cut.tp <= linked;
    const LinkRate link =
        inside ? c.rates.link : LinkRate{ring_across(c.rates.link_bus, c.rates.network_bus), c.rates.network_latency};
    const Seconds one = all_reduce_time(link, Bytes{c.rates.element_bytes * c.tokens * m.boundary}, c.cut.tp);
    const double shows =
        c.rates.software_row->overlaps_tensor ? c.constants.tensor_overlapped : c.constants.tensor_exposed;
    sum += one * (2 * m.layer_runs * passes * shows);
  }
  if (c.cut.cp > 1) {
    // Keys and values go round the ring while attention works on those at hand (Liu et al. 2023, arXiv:2310.01889).
    const bool inside = static_cast<double>(c.cut.cp) * c.cut.tp <= linked;
    const BytesPerSecond bus = inside ? c.rates.link_bus : c.rates.network_bus / per_machine;
    const Bytes all{c.rates.element_bytes * c.tokens * m.key_values / c.cut.tp * (c.cut.cp - 1)};
    const Pass work = attention(c);
    const Seconds latency = inside ? c.rates.link_latency : c.rates.network_latency;
    const Seconds transfer = all / bus * passes + latency * (m.layer_runs * passes * (c.cut.cp - 1));
    sum += exposed(transfer, work.forward + work.backward, c.constants.ring_leak);
  }
  return sum;
}

Seconds expert_traffic(const Context& c, double passes) {
  const ModelWork& m = c.model;
  if (c.cut.ep <= 1 || m.expert_products.empty()) return {};
  const double layers = m.expert_products.front().count;
  const double per_machine = c.rates.node->gpus;
  const double span = c.cut.ep;  // neighbours, whatever else the machine's GPUs share out
  const double token_bytes = 2 * m.boundary / c.cut.tp;
  // Dispatch and combine, forward and backward. Across machines a token goes to a few of them at most (node-limited
  // routing: DeepSeek-AI 2024, arXiv:2412.19437).
  const double transfers = 2 * passes * layers;
  if (span <= c.rates.link_span) {
    const Bytes chosen{c.tokens * m.experts_per_token * token_bytes};
    return all_to_all_time(c.rates.link, chosen, c.cut.ep) * (transfers * c.constants.expert_exposed);
  }
  const double machines = span / per_machine;
  const double destinations =
      std::min({m.experts_per_token, c.constants.expert_machines, machines}) * (1 - 1 / machines);
  const Bytes each{c.tokens * destinations * token_bytes};
  const Seconds one = each / (c.rates.network_bus / per_machine) + c.rates.network_latency;
  Seconds within{};  // each machine; one GPU has no neighbours there
  if (c.rates.link_bus.value > 0) within = Bytes{c.tokens * m.experts_per_token * token_bytes} / c.rates.link_bus;
  return (one * c.constants.expert_network_exposed + within * c.constants.expert_exposed) * transfers;
}

/// Networks known by their totals only. Their products are taken to reach half of what large ones do, and every kept
/// byte to be moved five times: assumptions, with a spread to match.
void add_custom_times(const Context& c, LayerCost& cost) {
  const CustomModel& custom = *c.model.use->custom;
  const double samples = c.cut.micro_batch;
  const bool learns = c.model.backward_inputs || c.model.backward_weights;
  const double share = learns ? 1 : 1.0 / 3;
  const double passes = c.model.passes * share;
  const Seconds compute{custom.flops_per_sample.value * samples * c.rates.blocks.flop.value * 2 * passes *
                        c.rates.product_factor};
  const Seconds traffic =
      custom.activation_bytes_per_sample * (samples * 5 * passes * c.rates.time_factor) / c.rates.stream;
  cost.matmul += compute;
  cost.elementwise += traffic;
  const bool full = c.cut.recompute == Recompute::kFull;
  if (full && learns) cost.recompute += (compute + traffic) / 3;
  constexpr Seconds kEager{8e-6}, kCompiled{4e-6};  // host time of one launch
  cost.launch += (c.rates.compile ? kCompiled : kEager) * (custom.kernels_per_step * (full && learns ? 4.0 / 3 : 1));
}

void add_custom_memory(const Context& c, LayerCost& cost) {
  const Bytes kept = c.model.use->custom->activation_bytes_per_sample * c.cut.micro_batch;
  const bool learns = c.model.backward_inputs || c.model.backward_weights;
  cost.activations += kept * (!learns ? 0.2 : c.cut.recompute == Recompute::kFull ? 0.5 : 1);
}

/// What one network takes without recomputing anything.
struct NetworkTimes {
  Pass matmul, attend, move;
  Seconds head{};
};

NetworkTimes times_of(const Context& c) {
  if (c.model.use->custom) return {};
  return {products(c), attention(c), elementwise(c), head(c)};
}

/// `times`: times_of() any recomputation.
void add_transformer_times(const Context& c, const NetworkTimes& times, LayerCost& cost) {
  const ModelWork& m = c.model;
  const bool learns = m.backward_inputs || m.backward_weights;
  const bool again = learns && c.cut.recompute == Recompute::kFull;
  const double factor = c.rates.time_factor * m.passes;
  const double product_factor = c.rates.product_factor * m.passes;
  // Fused attention is one long kernel, with no gaps inside.
  const bool fused = c.cut.attention != AttentionKernel::kEager;
  const double attend_factor = fused ? c.rates.software * m.passes : factor;
  const auto& [matmul, attend, move, head] = times;
  cost.matmul += (matmul.forward + matmul.backward) * product_factor;
  cost.attention += (attend.forward + attend.backward) * attend_factor;
  cost.elementwise += (move.forward + move.backward) * factor;
  if (again) cost.recompute += matmul.forward * product_factor + attend.forward * attend_factor + move.forward * factor;
  if (learns && c.cut.recompute == Recompute::kSelective) {
    // Megatron computes the attention core again (Korthikanti et al. 2022); PyTorch's selective checkpointing keeps
    // attention and every second product, and computes the rest again (PyTorch documentation).
    const double again_share = c.constants.selective_work * (1 - c.rates.unlisted) + c.rates.unlisted;
    cost.recompute += c.rates.scores_only ? attend.forward * attend_factor
                                          : matmul.forward * (again_share * product_factor) + move.forward * factor;
  }
  cost.head += head * m.passes;

  if (m.adapters && c.rates.base_bytes < 1) {
    // 4-bit weights are expanded for every product, forward and backward.
    const double parameters = m.params.attention + m.params.mlp + m.params.shared + m.params.experts / c.cut.ep;
    const double times = m.use->custom ? 1 : m.use->runs();
    cost.dequantise += Bytes{c.constants.dequantise_bytes * parameters / c.cut.tp * times *
                             (again ? c.constants.dequantise_again : 1)} /
                       c.rates.node->gpu->bandwidth * m.passes;
  }
  // The host issues a layer forward, about twice that backward, and again when it is recomputed; routing experts takes
  // more launches, and a loop over those that are here some for each.
  const double passes = 1 + (learns ? 2 : 0) + (again ? 1 : 0);
  const double routed = c.constants.moe_launches + c.rates.expert_launches * m.experts / c.cut.ep;
  const double kernels = (m.experts > 0 ? routed : 1) * (1 + (c.constants.adapter_launches - 1) * m.adapted);
  cost.launch += c.rates.launch_per_layer * (m.layer_runs * passes * kernels * m.passes);
  cost.head_launch += c.rates.launch_per_layer * ((learns ? 3 : 1) * m.passes);

  const double transfers = (1 + (learns ? 1 : 0) + (again ? 1 : 0)) * m.passes;
  cost.tensor_traffic += tensor_traffic(c, transfers);
  cost.expert_traffic += expert_traffic(c, transfers);
}

/// One network, whose sequences are `length` tokens long, `rows` of their own each, where it does not say itself.
Context context_of(const ModelWork& model, const TrainingRates& rates, const LayerCut& cut, double length,
                   double rows) {
  Context c{rates, cut, model, *rates.constants};
  const double tokens = model.tokens > 0 ? model.tokens : length;
  c.length = model.tokens > 0 ? tokens : tokens / rows;
  c.tokens = tokens * cut.micro_batch / cut.cp;
  return c;
}

}  // namespace

void add_layer_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCost& cost) {
  for (const ModelWork& model : work.models) {
    const Context c = context_of(model, rates, cut, work.sequence, work.rows);
    if (model.use->custom) add_custom_memory(c, cost);
    else detail::add_activations(rates, cut, model, {c.tokens, c.length}, cost);
  }
}

LayerCost layer_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut) {
  LayerCost cost;
  add_layer_memory(work, rates, cut, cost);
  return cost;
}

void add_layer_times(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCost& cost) {
  const double padded = padded_tokens(work, cut.micro_batch);
  for (const ModelWork& model : work.models) {
    const Context c = context_of(model, rates, cut, padded, work.rows);
    if (model.use->custom) add_custom_times(c, cost);
    else add_transformer_times(c, times_of(c), cost);
  }
}

void add_layer_times(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCosts& costs) {
  const double padded = padded_tokens(work, cut.micro_batch);
  for (const ModelWork& model : work.models) {
    const NetworkTimes times = times_of(context_of(model, rates, cut, padded, work.rows));
    for (std::size_t i = 0; i < costs.size(); ++i) {
      LayerCut own = cut;
      own.recompute = static_cast<Recompute>(i);
      const Context c = context_of(model, rates, own, padded, work.rows);
      if (model.use->custom) add_custom_times(c, costs[i]);
      else add_transformer_times(c, times, costs[i]);
    }
  }
}

LayerCost layer_cost(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut) {
  LayerCost cost = layer_memory(work, rates, cut);
  add_layer_times(work, rates, cut, cost);
  return cost;
}

}  // namespace gpuplan
