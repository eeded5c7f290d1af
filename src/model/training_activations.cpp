// What one micro-batch keeps in memory on one rank, before the pipeline cut.
#include "model/training_activations.h"

#include <algorithm>

namespace gpuplan::detail {

void add_activations(const TrainingRates& r, const LayerCut& cut, const ModelWork& m, MicroBatch batch,
                     LayerCost& cost) {
  const TrainingConstants& c = *r.constants;
  const bool learns = m.backward_inputs || m.backward_weights;
  // Allocator rounding and small tensors add a little; compilers keep less. Adapters keep the inputs of both branches,
  // and 4-bit layers every input.
  double scale = r.compile ? c.kept_compiled : c.kept;
  if (m.adapters) scale *= r.base_bytes < 1 ? c.kept_qlora : c.kept_lora;
  const double per_token = r.element_bytes * scale / cut.tp;
  // Norms that are computed in 32 bit operation by operation keep one more copy.
  const double norms = r.fused || r.compile ? 0 : c.norm_copy * m.boundary / cut.tp;
  const double layers = std::max(1.0, m.layer_runs);
  double scores = 0;  // of one layer
  if (cut.attention == AttentionKernel::kEager) {
    // Softmax output and dropout mask, 5 bytes a score (Korthikanti et al. 2022); separate operations keep more.
    scores = m.score_heads / layers / cut.tp * batch.length * (r.fused ? c.score_bytes_fused : c.score_bytes) *
             r.element_bytes / 2;
  }
  const double kept = m.kept * per_token + norms * layers;
  const Bytes all{batch.tokens * (kept + scores * layers)};
  const Bytes layer{batch.tokens * (m.kept_widest * per_token + norms + scores)};
  cost.one_layer = std::max(cost.one_layer, layer);
  cost.boundary = std::max(cost.boundary, Bytes{r.element_bytes * batch.tokens * m.boundary / cut.tp});
  cost.logits += Bytes{batch.tokens * m.head_share * m.vocab / cut.tp * (learns ? r.logit_bytes : 2)};
  if (!learns) {
    cost.activations += std::min(all, layer * 0.5);
  } else if (cut.recompute == Recompute::kFull) {
    // Chen et al. 2016 (arXiv:1604.06174): the input of every layer stays, one layer is computed again at a time.
    const Bytes inputs{batch.tokens * r.element_bytes * m.boundary * layers / cut.tp};
    cost.activations += std::min(all, inputs + layer * c.layer_again);
  } else if (cut.recompute == Recompute::kSelective) {
    // Megatron drops the scores only; PyTorch keeps about half of the rest (published runs, 2026).
    const double share = r.fused ? 1 : c.selective_kept;
    cost.activations += std::min(all, Bytes{batch.tokens * (kept * share + scores)});
  } else {
    cost.activations += all;
  }
}

}  // namespace gpuplan::detail
