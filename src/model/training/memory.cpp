// Memory of the fullest GPU: the largest of its instants, on the first and on the last pipeline stage.
#include <algorithm>
#include <array>

#include "model/training/rollouts.h"
#include "model/training/stage.h"

namespace gpuplan {

namespace {

using detail::StageParameters;

/// Bytes on one GPU, whatever the instant.
struct Held {
  double weights = 0, gradients = 0, optimizer = 0;
  double frozen = 0;               ///< of the weights
  double carried = 0;              ///< gradients held before the backward pass of a micro-batch
  double gathered = 0;             ///< weights brought together for the layers at work
  double gathered_last = 0;        ///< the same at the end of the forward pass
  double casts = 0;                ///< 16-bit copies of 32-bit weights at the end of the forward pass
  double casts_backward = 0;       ///< the same in the backward pass
  double casts_end = 0;            ///< and at its end
  double layer_gradients = 0;      ///< of one layer, before they are shared out
  double layer_gradients_end = 0;  ///< the same at the end of the backward pass
  double buckets = 0;              ///< second copy of the gradients on their way to other ranks
  double loading = 0;              ///< weights beside those held, while the checkpoint is read
  double temporary = 0;            ///< of the optimizer step
};

/// Share of what comes and goes within a step that the allocator holds beyond it.
double fragmentation(const TrainingRates& r) { return r.software_row->planned_memory ? 0 : r.constants->fragmentation; }

/// The allocator gives blocks back when the GPU is short of memory.
void give_back(MemoryUse& use, const TrainingRates& r) {
  const Bytes usable = r.node->gpu->usable;
  use.fragmentation = std::min(use.fragmentation, usable - std::min(usable, use.needed()));
}

/// What data-parallel ranks share out, by ZeRO stage (Rajbhandari et al. 2020, arXiv:1910.02054), and what lies in host
/// memory instead (Ren et al. 2021, arXiv:2101.06840).
Held held(const TrainingRates& r, const Strategy& s, const StageParameters& p) {
  const TrainingConstants& c = *r.constants;
  const int stage = std::min(3, static_cast<int>(s.sharding));
  const int machine = r.node->gpus;
  const double ranks = detail::shard_ranks(s, machine);
  const double expert_ranks = detail::expert_shard_ranks(s, machine);
  const auto shared = [&](int from, double dense, double experts) {
    return stage >= from ? dense / ranks + experts / expert_ranks : dense + experts;
  };
  const bool host_weights = includes(s.offload, Offload::kParams);
  const bool host_states = includes(s.offload, Offload::kOptimizer);
  const double learn = p.learn + p.learn_experts;
  Held h;
  const double frozen =
      shared(3, p.base_layers, p.base_experts) * r.base_bytes + shared(3, p.base_other, 0) * r.base_other_bytes;
  const double weights = shared(3, p.learn, p.learn_experts) * (r.weight_bytes + r.copy_bytes) + frozen;
  const double whole = learn * (r.weight_bytes + r.copy_bytes) + (p.base_layers + p.base_experts) * r.base_bytes +
                       p.base_other * r.base_other_bytes;
  h.weights = host_weights ? 0 : weights;
  h.frozen = host_weights ? 0 : frozen;
  // With pipeline stages, gradients of a step's micro-batches add up where they arise, and are shared out at its end.
  const int gradients_from = s.pp > 1 ? 4 : 2;
  h.gradients = shared(gradients_from, p.learn, p.learn_experts) * r.gradient_bytes;
  // States in host memory are updated there, so that gradients go there as they come.
  if ((host_states && stage >= 2) || host_weights) h.gradients = 0;
  if (!host_states) h.optimizer = shared(1, p.learn, p.learn_experts) * (r.master_bytes + r.state_bytes);
  const double stepped = host_states ? 0 : shared(1, p.learn, p.learn_experts);
  h.temporary = r.fused_step ? 0 : stepped * c.optimizer_temporary;
  if (r.software_row->flat_step > 0) {
    // ZeRO of DeepSpeed and InternEvo joins the gradients of a rank in 16 bit, then in 32, beside those that came; one
    // kernel after the other needs two more tensors of that size. Fully sharded, parameters stay apart, and some of
    // them are stepped at a time.
    const double group = std::min(stepped, r.software_row->flat_step * 1e9), kernels = r.fused_step ? 0 : 8;
    h.temporary = stage == 3 ? group * (4 + kernels) : stepped * (2 + 4 + kernels);
  }
  const double one_layer_gradients = learn > p.base_layers ? p.one_layer * r.gradient_bytes : 0;
  if (r.step_in_backward && s.grad_accum == 1 && s.gpus() == 1 && stage == 0) h.gradients = h.temporary = 0;
  h.carried = s.grad_accum > 1 ? h.gradients : 0;

  if ((stage == 3 && ranks > 1) || host_weights) {
    // The layer at work and the next in 16 bit or as they are stored, embedding and output matrix all the time, and
    // the gradients of one layer. With pipeline stages the whole stage stays together from the first micro-batch of a
    // step to the last. Never more than what lies elsewhere.
    const double bytes = p.base_layers > p.learn ? std::min(2.0, r.base_bytes) : 2;
    const bool stays = s.pp > 1;
    const double layers = stays ? learn + p.base_layers + p.base_experts : 2 * p.one_layer;
    const double last = stays ? layers : p.one_layer;
    // Embedding and output matrix: all the time, or the one in use; the larger may be either.
    const double outside = stays && p.base_layers <= p.learn ? 0 : r.software_row->gathers_outside ? p.outside : 0;
    const double in_use = stays ? outside : std::max(outside, p.outside / 2);
    const double elsewhere = std::max(0.0, whole - h.weights) / (1 + fragmentation(r));
    h.gathered = std::min(layers * bytes + outside * 2, elsewhere);
    h.gathered_last = std::min(last * bytes + in_use * 2, elsewhere);
  }
  if (r.casts_weights && stage < 3 && !host_weights) {
    const double one = 2 * 2 * p.one_layer;
    const double all = 2 * (learn - p.looked_up);
    // What is recomputed casts again; programs that are compiled as a whole keep no list of copies beside.
    const bool again = s.recompute == Recompute::kFull;
    h.casts = again && r.software_row->planned_memory ? std::min(all, one) : all;
    h.casts_backward = again ? std::min(all, one) : all;
    h.casts_end = std::min(all, one);
  }
  // Gradients of a layer are whole before they are shared out or used up.
  h.layer_gradients = std::max(0.0, std::min(one_layer_gradients, learn * r.gradient_bytes - h.carried));
  h.layer_gradients_end = std::max(0.0, std::min(one_layer_gradients, learn * r.gradient_bytes - h.gradients));
  // A program that is compiled as a whole has the gradients of a micro-batch as one value, and adds them to another.
  if (r.software_row->adds_gradients && s.grad_accum > 1)
    h.layer_gradients_end = std::max(h.layer_gradients_end, h.gradients);
  if (stage == 0 && detail::shard_ranks(s) > 1 && !r.fused) h.buckets = learn * r.gradient_bytes;
  if (r.software_row->loading == Loading::kGathered && stage == 3 && ranks > 1 && !host_weights) h.loading = whole;
  return h;
}

enum class Instant { kLoading, kForward, kBackward, kEnd, kStep };
constexpr std::array<std::string_view, 5> kInstants = {"loading", "end of forward", "backward", "end of backward",
                                                       "optimizer step"};

struct StageMemory {
  MemoryUse use;
  Instant instant = Instant::kForward;
};

StageMemory stage_memory(const TrainingRates& r, const LayerCost& layer, const Strategy& s, const StageParameters& p,
                         double layers, double in_flight, double batches, bool has_head) {
  const TrainingConstants& c = *r.constants;
  const Held h = held(r, s, p);
  Bytes kept = layer.activations * in_flight;
  // Inputs of layers in host memory: those of the layer at work and of the one that is copied stay.
  if (activations_on_host(r, s)) kept = kept - std::min(kept, layer.boundary * (std::max(0.0, layers - 2) * batches));
  const Bytes logits = has_head ? layer.logits : Bytes{};
  const Bytes gradients{h.gradients};
  const Bytes boundaries = layer.boundary * (s.pp > 1 ? 2.0 : 0.0);
  const Bytes always = Bytes{h.buckets} + boundaries + units::GiB * (s.gpus() > 1 ? c.collectives_gib : 0);

  struct Parts {
    Bytes gradients, activations, logits, buffers;
    Bytes sum() const { return gradients + activations + logits + buffers; }
  };
  const std::array<Parts, 5> instants = {{
      {{}, {}, {}, Bytes{h.loading} - Bytes{h.optimizer}},
      {Bytes{h.carried}, kept, logits, Bytes{h.gathered_last + h.casts} + always},
      // Backward: activations go as gradients come, evenly, so it needs most where it begins or where it ends.
      {Bytes{h.carried}, kept + layer.one_layer, {}, Bytes{h.gathered + h.casts_backward + h.layer_gradients} + always},
      {gradients,
       kept * std::min(1.0, 1 / layers) + layer.one_layer,
       {},
       Bytes{h.gathered + h.casts_end + h.layer_gradients_end} + always},
      {gradients, {}, {}, Bytes{h.temporary} + always},
  }};
  std::size_t most = 1;
  Bytes largest = instants[most].sum();
  for (std::size_t i = 0; i < instants.size(); ++i)
    if (const Bytes sum = instants[i].sum(); sum > largest) most = i, largest = sum;
  const Parts& peak = instants[most];

  StageMemory result;
  result.instant = static_cast<Instant>(most);
  MemoryUse& use = result.use;
  use.weights = Bytes{h.weights};
  use.frozen = Bytes{h.frozen};
  use.optimizer = Bytes{most == 0 ? 0 : h.optimizer};
  use.gradients = peak.gradients;
  use.activations = peak.activations;
  use.logits = peak.logits;
  use.buffers = most == 0 ? Bytes{h.loading} : peak.buffers;
  use.framework = units::GiB * c.framework_gib;
  use.driver = units::GiB * c.driver_gib;
  // Paged states leave for host memory when the GPU is short of it (Dettmers et al. 2023, arXiv:2305.14314).
  if (r.step_in_backward) {
    const Bytes excess = use.total() - r.node->gpu->usable;
    const Bytes pages = use.optimizer * (1 - c.paged_share);
    if (excess > Bytes{}) use.optimizer = use.optimizer - std::min(excess, pages);
  }
  // What comes and goes within a step leaves holes.
  use.fragmentation = (use.gradients + use.activations + use.logits + use.buffers) * fragmentation(r);
  give_back(use, r);
  return result;
}

/// The stage that needs most.
StageMemory fullest(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer, const Strategy& s,
                    const detail::Stages& stages) {
  const detail::StageShares& shares = stages.shares;
  const auto layers = [&](double share) { return std::max(1.0, work.layers * share); };
  if (s.pp == 1) return stage_memory(rates, layer, s, stages.first, layers(1), 1, 1, true);
  // 1F1B keeps as many micro-batches as there are stages behind (Narayanan et al. 2021, arXiv:2104.04473); interleaving
  // adds (pp - 1) / (pp v) of them.
  double in_flight = std::min(s.pp, s.grad_accum);
  if (s.interleave > 1) in_flight *= 1 + (s.pp - 1.0) / (static_cast<double>(s.pp) * s.interleave);
  const StageMemory first =
      stage_memory(rates, layer, s, stages.first, layers(shares.fullest), shares.fullest * in_flight, in_flight, false);
  const StageMemory last = stage_memory(rates, layer, s, stages.last, layers(shares.last), shares.last, 1, true);
  return first.use.total() >= last.use.total() ? first : last;
}

}  // namespace

bool activations_on_host(const TrainingRates& rates, const Strategy& s) {
  const bool framework = rates.framework != nullptr && rates.framework->activation_offload;
  return includes(s.offload, Offload::kActivations) || (framework && s.recompute == Recompute::kFull);
}

MemoryUse training_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                          const Strategy& s, const detail::Stages& stages) {
  MemoryUse use = fullest(work, rates, layer, s, stages).use;
  if (!rates.rollouts) return use;
  add_rollout_memory(work, *rates.rollouts, s, use);
  give_back(use, rates);
  return use;
}

MemoryUse training_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                          const Strategy& s) {
  return training_memory(work, rates, layer, s, detail::stages_of(work, s));
}

std::string_view fullest_instant(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                 const Strategy& s) {
  return kInstants[static_cast<std::size_t>(fullest(work, rates, layer, s, detail::stages_of(work, s)).instant)];
}

}  // namespace gpuplan
