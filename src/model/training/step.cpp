// Time of one optimizer step: micro-batches through the pipeline, data-parallel traffic, optimizer.
#include <algorithm>
#include <bit>

#include "model/communication.h"
#include "model/training/host_step.h"
#include "model/training/rollouts.h"
#include "model/training/stage.h"

namespace gpuplan {

namespace {

using detail::StageParameters;

/// Logarithm to base 2, linear between powers of two.
double rough_log2(int n) {
  if (n <= 1) return 0;
  const int low = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
  return low + static_cast<double>(n) / static_cast<double>(1U << static_cast<unsigned>(low)) - 1;
}

/// The link that a group of data and context ranks sees. Ranks are laid out tensor first, then context, then data (the
/// order of Megatron-LM), so the groups of one machine share its network.
LinkRate group_link(const TrainingRates& r, const Strategy& s, double ranks) {
  const double inner = s.tp;  // context ranks take part
  const double per_machine = r.node->gpus;
  if (ranks * inner <= r.link_span) return r.link;
  const double groups = std::min(inner, per_machine);
  const BytesPerSecond network = r.network_bus / groups;
  return {inner < r.link_span ? ring_across(r.link_bus, network) : network, r.network_latency};
}

/// Gradients and sharded weights: once a step, or with every micro-batch. `more`: passes that have no backward pass.
Seconds data_traffic(const TrainingRates& r, const Strategy& s, const StageParameters& p, Seconds micro_time,
                     double more) {
  const double ranks = detail::shard_ranks(s);
  if (ranks <= 1) return {};
  const double expert_ranks = detail::expert_shard_ranks(s);
  const LinkRate link = group_link(r, s, ranks);
  const double experts = expert_ranks > 1 ? p.learn_experts : 0;
  const TrainingSoftware& software = *r.software_row;
  const Bytes gradients{(p.learn + experts) * std::min(r.gradient_bytes, software.reduce_bytes)};
  // Weights stay gathered where several micro-batches are on their way through a pipeline.
  const double micro_batches = s.pp > 1 ? 1 : s.grad_accum;
  if (shards_weights(s.sharding)) {
    // Weights are gathered forward and backward, gradients scattered, for every micro-batch (Rajbhandari et al. 2020).
    // A part of the computation hides it, and some of what is hidden still shows.
    const double read = software.gathers_8bit && is_eight_bit(r.precision) ? 1 : 2;
    const Bytes weights{(p.learn + experts) * read + (p.base_layers + p.base_experts) * std::min(r.base_bytes, 2.0) +
                        p.base_other * 2};
    const double shards = detail::shard_ranks(s, r.node->gpus);
    const LinkRate near = group_link(r, s, shards);
    const Seconds gather = all_gather_time(near, weights, shards) * (2 + more);
    const Bytes reduced{(p.learn + experts) * software.scatter_bytes};
    Seconds scatter = all_gather_time(near, reduced, shards);
    if (shards < ranks) {
      // Hybrid sharding: the copies on other machines add up their parts of the gradients, all GPUs of a machine at
      // once.
      const bool rack = ranks * s.tp <= r.link_span;
      const LinkRate far = rack ? r.link : LinkRate{r.network_bus / r.node->gpus, r.network_latency};
      scatter += all_reduce_time(far, reduced / shards, ranks / shards);
    }
    // Where parameters are sharded one by one, what was gathered is copied to where each belongs, and gradients to
    // where they are sent from (FSDP2, fsdp_collectives.py; DeepSpeed, partition_parameters.py).
    const Bytes copied = weights * 4 + Bytes{(p.learn + experts) * 2} + reduced;
    const Seconds copies = software.copies_shards ? copied / r.stream : Seconds{};
    return (exposed(gather + scatter, micro_time * r.constants->zero3_cover, r.constants->zero3_leak) + copies) *
           micro_batches;
  }
  // Reduced in buckets beside the last backward pass, never hidden to the last.
  const Seconds cover = micro_time * (s.pp > 1 ? r.constants->data_cover_pipeline : r.constants->data_cover);
  if (s.sharding == Sharding::kZero2) {
    const Seconds scatter = all_gather_time(link, gradients, ranks);
    const Seconds gather = all_gather_time(link, Bytes{(p.learn + experts) * 2}, ranks);
    return exposed(scatter, cover, r.constants->data_leak) * micro_batches + gather;
  }
  if (s.sharding == Sharding::kZero1) {
    // Each rank gets the sum of its shard, and gives its weights: beside the next forward pass, a third of the work,
    // where the framework orders them so (Megatron-LM, --overlap-param-gather).
    const Seconds scatter = all_gather_time(link, gradients, ranks);
    const Seconds gather = all_gather_time(link, Bytes{(p.learn + experts) * 2}, ranks);
    return exposed(scatter, cover, r.constants->data_leak) +
           (software.gathers_ahead ? exposed(gather, cover * (1.0 / 3), r.constants->data_leak) : gather);
  }
  return exposed(all_reduce_time(link, gradients, ranks), cover, r.constants->data_leak);
}

/// Stage boundaries: activations forward, gradients back, for every micro-batch; a part of it shows.
Seconds pipeline_traffic(const TrainingRates& r, const LayerCost& layer, const Strategy& s) {
  if (s.pp <= 1) return {};
  const double per_machine = r.node->gpus;
  const bool inside = static_cast<double>(s.gpus()) <= r.link_span;
  const LinkRate link =
      inside ? LinkRate{r.link_bus, r.link_latency} : LinkRate{r.network_bus / per_machine, r.network_latency};
  // Tensor ranks that have all tokens send a part each (Narayanan et al. 2021, section 4.1).
  const double copies = r.sequence_parallel ? 1 : s.tp;
  const Seconds one = layer.boundary / (link.bus * copies) + link.latency;
  return one * (2.0 * s.grad_accum * s.interleave * r.constants->pipeline_exposed);
}

/// Weights and inputs of layers that lie in host memory pass PCIe there and back with every micro-batch, beside the
/// computation as far as that takes as long (FSDP's CPU offload; Ren et al. 2021, arXiv:2101.06840). With full sharding
/// every rank moves its own part. Copies of activations need no multiprocessors and wait for nobody.
Seconds host_traffic(const TrainingRates& r, const LayerCost& layer, const Strategy& s, const StageParameters& p,
                     double layers, Seconds micro_time) {
  Bytes once{};
  Seconds time{};
  if (includes(s.offload, Offload::kParams)) {
    const double ranks = shards_weights(s.sharding) ? detail::shard_ranks(s, r.node->gpus) : 1;
    once += Bytes{((p.learn + p.learn_experts) * 2 + (p.base_layers + p.base_experts) * std::min(r.base_bytes, 2.0)) /
                  ranks};
  }
  if (includes(s.offload, Offload::kActivations))
    time += exposed(layer.boundary * (2 * layers) / r.host_link, micro_time, 0);
  if (once.value > 0) time += exposed(host_weights_time(r, once), micro_time, r.constants->zero3_leak);
  return time * static_cast<double>(s.grad_accum);
}

struct OptimizerTime {
  Seconds gpu{}, offload{};
};

OptimizerTime optimizer_time(const TrainingWork& work, const TrainingRates& r, const Strategy& s,
                             const StageParameters& p) {
  const bool shared = s.sharding != Sharding::kNone;
  const double local = shared ? p.learn / detail::shard_ranks(s, r.node->gpus) +
                                    p.learn_experts / detail::expert_shard_ranks(s, r.node->gpus)
                              : p.learn + p.learn_experts;
  OptimizerTime time;
  if (includes(s.offload, Offload::kOptimizer)) {
    time.offload = host_optimizer_time(r, local);
    return time;
  }
  // Weights and states are read and written, gradients read by the norm and by the step and cleared: 40 bytes a
  // parameter for Adam in 32 bit; the optimizer's other passes come on top, more where it is not one kernel.
  const double bytes = 2 * (r.weight_bytes + r.master_bytes + r.state_bytes) + 4 * r.gradient_bytes;
  const double lamb = work.phase->optimizer.matrices == Optimizer::kLamb ? 2 : 1;
  const double passes =
      r.constants->optimizer_passes * lamb * (r.fused || r.compile ? 1 : r.constants->optimizer_unfused);
  time.gpu = Bytes{bytes * local * passes} / r.stream;
  if (r.optimizer_flops > 0) {
    // At about half the peak. Each matrix goes to one of the ranks that have it, eight at most: nanochat's DistMuon,
    // and Distributed Muon of Liu et al. 2025 (arXiv:2502.16982), where the ranks share out states.
    const double spread = std::min(8.0, detail::shard_ranks(s));
    time.gpu += Seconds{r.optimizer_flops * (p.learn + p.learn_experts) / spread / (r.head_peak.value * 0.5)};
  }
  return time;
}

/// The engine's weights are written anew from those that learn, or from those with adapters, which are added before and
/// taken out after: all of it read and written once, parameter by parameter, and gathered where they are shared out
/// (trl/generation/vllm_generation.py, sync_weights). An engine that slept reads its own first.
Seconds weight_sync(const TrainingWork& work, const TrainingRates& r, const Strategy& s, const StageParameters& p,
                    const RolloutUse& use) {
  const Bytes own{work.adapters ? (p.base_layers + p.base_experts) * r.base_bytes + p.base_other * r.base_other_bytes
                                : (p.learn + p.learn_experts) * r.weight_bytes};
  Seconds time = (own + use.weights) / r.stream + r.launch_per_layer * work.layers;
  if (work.adapters) time += own * 4 / r.stream;
  const double shards = detail::shard_ranks(s, r.node->gpus);
  if (shards_weights(s.sharding) && shards > 1)
    time += all_gather_time(group_link(r, s, shards), own / work.layers, shards) * work.layers;
  if (work.phase->rollouts->sleep) time += use.weights / r.host_link;
  return time;
}

}  // namespace

TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes) {
  return training_estimate(work, rates, layer, strategy, nodes, training_memory(work, rates, layer, strategy));
}

TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes, const MemoryUse& memory) {
  return training_estimate(work, rates, layer, strategy, nodes, memory, detail::stages_of(work, strategy));
}

TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& r, const LayerCost& layer,
                                   const Strategy& s, int nodes, const MemoryUse& memory,
                                   const detail::Stages& stages) {
  TrainingEstimate estimate;
  estimate.memory = memory;
  StepParts& step = estimate.step;
  const StageParameters& first = stages.first;
  const detail::StageShares& shares = stages.shares;

  // One micro-batch through all stages: GPU and host work side by side.
  const Seconds gpu = layer.matmul + layer.attention + layer.elementwise + layer.recompute + layer.dequantise +
                      layer.tensor_traffic + layer.expert_traffic;
  const Seconds layers = overlapped(gpu, layer.launch);
  const Seconds last = overlapped(layer.head, layer.head_launch) * (s.pp > 1 ? r.constants->pipeline_head : 1.0);
  const Seconds through = layers + last;

  // 1F1B (Narayanan et al. 2021): the slowest stage works on every micro-batch, filling and draining cost the others
  // once, divided by the interleaving. Parts are those of an average stage; what the slowest one has more is bubble.
  const double runs = static_cast<double>(s.grad_accum) / s.pp;
  step.matmul = layer.matmul * runs;
  step.attention = layer.attention * runs;
  step.elementwise = layer.elementwise * runs;
  step.recompute = layer.recompute * runs;
  step.dequantise = layer.dequantise * runs;
  step.tensor_traffic = layer.tensor_traffic * runs;
  step.expert_traffic = layer.expert_traffic * runs;
  const double head_scale = s.pp > 1 ? r.constants->pipeline_head : 1.0;
  step.head = layer.head * (runs * head_scale);
  step.launch = (layers - gpu + last - layer.head * head_scale) * runs;
  Seconds slowest = through;
  if (s.pp > 1) {
    slowest = std::max(layers * shares.fullest, layers * shares.last + last);
    const Seconds busy = slowest * static_cast<double>(s.grad_accum);
    step.bubble = busy + (through - slowest) / static_cast<double>(s.interleave) - through * runs;
    step.pipeline_traffic = pipeline_traffic(r, layer, s);
  }

  step.data_traffic = data_traffic(r, s, first, slowest, work.forward_only);
  const OptimizerTime optimizer = optimizer_time(work, r, s, first);
  step.optimizer = optimizer.gpu;
  step.offload = optimizer.offload + host_traffic(r, layer, s, first, work.layers * shares.fullest, slowest);
  // The host also issues the optimizer, a part for each layer of its stage, while the GPU runs what came before of it.
  step.launch += overlapped(optimizer.gpu, r.launch_per_step * (1.0 / s.pp)) - optimizer.gpu;
  if (work.rollouts && r.rollouts) {
    const RolloutUse use = rollout_use(work, *r.rollouts, s);
    step.rollouts = use.total();
    step.rewards = work.phase->rollouts->reward_time.value_or(Seconds{});
    step.weight_sync = weight_sync(work, r, s, first, use);
    estimate.rollouts = use;
  }
  // Many machines wait for the slowest.
  if (nodes > 1) step.straggle = step.total() * (r.constants->straggle * rough_log2(nodes));

  estimate.host_memory = training_host_memory(work, r, layer, s, stages).total();
  return estimate;
}

}  // namespace gpuplan
