// What one micro-batch keeps in memory on one rank, before the pipeline cut.
#include "model/training/activations.h"

#include <algorithm>

namespace gpuplan::detail {

namespace {

/// Weights of the largest matrix on a rank: 4-bit ones are expanded one at a time.
double largest_matrix(const ModelShape& s, const LayerCut& cut) {
  return static_cast<double>(s.hidden) * std::max(s.q_width(), s.ffn) / cut.tp;
}

}  // namespace

void add_activations(const TrainingRates& r, const LayerCut& cut, const ModelWork& m, MicroBatch batch,
                     LayerCost& cost) {
  const TrainingConstants& c = *r.constants;
  const bool learns = m.backward_inputs || m.backward_weights;
  // Operation by operation more is kept than the tensors counted, fused or compiled little more, none where buffers are
  // laid out ahead. Adapters keep the inputs of both branches, and 4-bit layers every input.
  const bool fused = r.compile || r.fused;
  const bool planned = r.software_row->planned_memory;
  double scale = planned ? 1 : fused ? c.kept_compiled : c.kept;
  // Kernels written for adapters on 4-bit weights take the inputs as they are.
  if (m.adapters) scale *= r.base_bytes >= 1 ? c.kept_lora : r.fused ? 1 : c.kept_qlora;
  const double per_token = r.element_bytes * scale / cut.tp;
  const double layers = std::max(1.0, m.layer_runs);
  // Without sequence parallelism every tensor rank keeps norms and inputs of layers of all tokens.
  const double copies = r.sequence_parallel ? 1 : cut.tp;
  const double whole = m.kept_whole * (copies - 1);
  // Norms that are computed in 32 bit operation by operation keep one more copy.
  const double norms = fused ? 0 : c.norm_copy * m.norm_inputs / layers * copies / cut.tp;
  double scores = 0;  // of one layer
  if (cut.attention == AttentionKernel::kEager) {
    // Softmax output and dropout mask, 5 bytes a score (Korthikanti et al. 2022); separate operations keep more.
    scores = m.score_heads / layers / cut.tp * batch.length * (r.fused ? c.score_bytes_fused : c.score_bytes) *
             r.element_bytes / 2;
  }
  // Experts of the busiest rank get more tokens than the average.
  const double routed = m.kept_experts - (fused ? m.expert_gates : 0);
  const double uneven = cut.ep > 1 ? routed * (c.expert_imbalance - 1) : 0;
  // Kernels of 8 and 4 bit keep what products read as they read it, beside what others read in 16.
  const double narrow = r.kept_inputs > 0 ? m.kept_products * (r.element_bytes - r.kept_inputs) * scale / cut.tp : 0;
  const double gates = fused ? m.kept_gates : 0;
  const double kept = std::max(0.0, (m.kept - gates + uneven + whole) * per_token - narrow) + norms * layers;
  const Bytes all{batch.tokens * (kept + scores * layers)};
  const Bytes layer{batch.tokens *
                    ((m.kept_widest * (m.kept - gates + uneven) / std::max(1.0, m.kept) + whole / layers) * per_token +
                     norms + scores)};

  cost.boundary = std::max(cost.boundary, Bytes{r.element_bytes * batch.tokens * m.boundary * copies / cut.tp});
  // A fused loss makes the logits of some tokens at a time.
  const double scored = batch.tokens * m.scored(c);
  const double at_once = r.fused_loss > 0 ? std::min(scored, r.fused_loss) : scored;
  cost.logits += Bytes{at_once * m.vocab / cut.tp * (learns ? r.logit_bytes : 2)};
  // Sequence parallelism gathers the whole width of what products read, and of its gradient.
  const Bytes whole_width{
      cut.tp > 1 && r.sequence_parallel ? 2 * r.element_bytes * batch.tokens * m.boundary * (1 - 1.0 / cut.tp) : 0};
  if (learns && m.vocab > 0) cost.logits += whole_width * m.scored(c);
  if (!learns) {
    cost.activations += std::min(all, layer * 0.5);
    return;
  }
  Bytes stay = all;
  Bytes again{};  // of one layer
  if (cut.recompute == Recompute::kFull) {
    // Chen et al. 2016 (arXiv:1604.06174): the input of every layer stays, one layer is computed again at a time.
    stay = std::min(all, Bytes{batch.tokens * r.element_bytes * m.boundary * copies * layers / cut.tp});
    again = layer - stay / layers;
  } else if (cut.recompute == Recompute::kSelective) {
    if (r.scores_only) {
      // Megatron drops the scores only (Korthikanti et al. 2022).
      stay = Bytes{batch.tokens * kept};
      again = Bytes{batch.tokens * scores};
    } else {
      // PyTorch keeps the inputs of layers, what attention gives and every second product (PyTorch documentation).
      const double outputs = c.selective_kept * (1 - r.unlisted) * m.kept_outputs;
      const double elements = m.kept_attention + outputs + m.boundary * layers * (copies - 1);
      stay = std::min(all, Bytes{batch.tokens * elements * r.element_bytes / cut.tp});
      again = layer * (1 - (all.value > 0 ? stay / all : 0));
    }
  }
  cost.activations += stay;
  Bytes working = again + layer * c.layer_working + whole_width;
  if (r.base_bytes < 1 && m.adapters) working += Bytes{2 * largest_matrix(m.use->shape, cut)};
  cost.one_layer = std::max(cost.one_layer, working);
}

}  // namespace gpuplan::detail
