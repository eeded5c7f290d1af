// Memory of the fullest GPU: the largest of the instants forward peak, backward and optimizer step, on the first and
// on the last pipeline stage.
#include <algorithm>

#include "model/training_stage.h"

namespace gpuplan {

namespace {

using detail::StageParameters;

struct Held {
  double weights = 0, gradients = 0, optimizer = 0, gathered = 0, parameters = 0;
};

/// Bytes on one GPU after data-parallel ranks shared out what the ZeRO stage says (Rajbhandari et al. 2020,
/// arXiv:1910.02054).
Held held(const TrainingRates& r, const Strategy& s, const StageParameters& p) {
  const int stage = std::min(3, static_cast<int>(s.sharding));
  const double ranks = detail::shard_ranks(s);
  const double expert_ranks = detail::expert_shard_ranks(s);
  const auto shared = [&](int from, double dense, double experts) {
    return stage >= from ? dense / ranks + experts / expert_ranks : dense + experts;
  };
  Held held;
  held.parameters = p.learn + p.learn_experts;
  held.weights = shared(3, p.learn, p.learn_experts) * r.weight_bytes +
                 shared(3, p.base_layers, p.base_experts) * r.base_bytes +
                 shared(3, p.base_other, 0) * r.base_other_bytes;
  held.gradients = shared(2, p.learn, p.learn_experts) * r.gradient_bytes;
  if (!includes(s.offload, Offload::kOptimizer)) {
    held.optimizer = shared(1, p.learn, p.learn_experts) * (r.master_bytes + r.state_bytes);
  }
  if (stage == 3 && ranks > 1) {
    // Two layers gathered in 16 bit (the one at work and the next) and the gradients of one; never more than what
    // lies on the other ranks.
    const double layer = p.one_layer * (2 * 2 + (p.learn > p.base_layers ? r.gradient_bytes : 0));
    const double elsewhere = (p.learn + p.learn_experts) * (r.weight_bytes + r.gradient_bytes) +
                             (p.base_layers + p.base_experts) * r.base_bytes;
    held.gathered = std::min(layer, elsewhere * (1 - 1 / ranks));
  }
  return held;
}

MemoryUse stage_memory(const TrainingRates& r, const LayerCost& layer, const Strategy& s, const StageParameters& p,
                       double layers_share, double in_flight, bool has_head) {
  const TrainingConstants& c = *r.constants;
  const Held h = held(r, s, p);
  const Bytes activations = layer.activations * (layers_share * in_flight);
  const Bytes logits = has_head ? layer.logits : Bytes{};
  // Forward peak: gradients of earlier micro-batches are there only when they are accumulated.
  const Bytes carried{s.grad_accum > 1 ? h.gradients : 0};
  const Bytes forward = activations + logits + carried;
  // Backward: gradients grow as activations go.
  const Bytes backward = Bytes{h.gradients} + activations * c.backward_kept;
  // Optimizer: gradients and temporaries.
  const double shared = s.sharding == Sharding::kNone ? 1 : detail::shard_ranks(s);
  const Bytes temporary{h.parameters * c.optimizer_temporary / shared};
  const Bytes step = Bytes{h.gradients} + temporary;

  MemoryUse use;
  use.weights = Bytes{h.weights};
  use.optimizer = Bytes{h.optimizer};
  use.buffers = Bytes{h.gathered} + layer.boundary * (s.pp > 1 ? 2.0 : 0.0);
  if (forward >= backward && forward >= step) {
    use.activations = activations;
    use.logits = logits;
    use.gradients = carried;
  } else if (backward >= step) {
    use.activations = activations * c.backward_kept;
    use.gradients = Bytes{h.gradients};
  } else {
    use.gradients = Bytes{h.gradients};
    use.buffers += temporary;
  }
  if (s.gpus() > 1) use.buffers += units::GiB * c.collectives_gib;
  // The caching allocator holds more than the tensors in it.
  const Bytes framework = units::GiB * c.framework_gib;
  use.fragmentation = (use.total() + framework) * c.fragmentation;
  use.framework = framework;
  use.driver = units::GiB * c.driver_gib;
  return use;
}

}  // namespace

MemoryUse training_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                          const Strategy& s) {
  const detail::StageShares shares = detail::stage_shares(work.layers, s.pp);
  // 1F1B keeps as many micro-batches as there are stages behind (Narayanan et al. 2021, arXiv:2104.04473); interleaving
  // adds (pp - 1) / (pp v) of them.
  double in_flight = std::min(s.pp, s.grad_accum);
  if (s.interleave > 1 && s.pp > 1) in_flight *= 1 + (s.pp - 1.0) / (static_cast<double>(s.pp) * s.interleave);
  const MemoryUse first =
      stage_memory(rates, layer, s, detail::stage_parameters(work, s, false), shares.fullest, in_flight, s.pp == 1);
  if (s.pp == 1) return first;
  const MemoryUse last = stage_memory(rates, layer, s, detail::stage_parameters(work, s, true), shares.last, 1, true);
  return first.total() >= last.total() ? first : last;
}

}  // namespace gpuplan
