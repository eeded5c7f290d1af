// Memory of the host of one machine: reading the checkpoint, what is offloaded, processes and data workers.
#include "model/training/host_memory.h"

#include <algorithm>

#include "model/training/stage.h"

namespace gpuplan {

HostMemory training_host_memory(const TrainingWork& work, const TrainingRates& r, const LayerCost& layer,
                                const Strategy& s) {
  return training_host_memory(work, r, layer, s, detail::stages_of(work, s));
}

HostMemory training_host_memory(const TrainingWork& work, const TrainingRates& r, const LayerCost& layer,
                                const Strategy& s, const detail::Stages& stages) {
  const TrainingConstants& c = *r.constants;
  const detail::StageParameters& p = stages.first;
  const double here = std::min(r.node->gpus, s.gpus());
  const double ranks = s.sharding == Sharding::kNone ? 1 : detail::shard_ranks(s, r.node->gpus);
  const double expert_ranks = s.sharding == Sharding::kNone ? 1 : detail::expert_shard_ranks(s, r.node->gpus);
  const double local = p.learn / ranks + p.learn_experts / expert_ranks;
  const bool weights_too = includes(s.offload, Offload::kParams);
  HostMemory host;
  if (includes(s.offload, Offload::kOptimizer)) {
    // The weights that the optimizer updates, its states, and gradients, in 32 bit where master weights are.
    const bool master = r.master_bytes > 0;
    const double bytes = (master ? r.master_bytes : r.weight_bytes) + r.state_bytes + (master ? 4 : r.gradient_bytes);
    host.offloaded += Bytes{local * bytes * here};
  } else if (r.step_in_backward) {
    host.offloaded += Bytes{local * r.state_bytes * (1 - c.paged_share) * here};
  }
  if (weights_too) {
    // Frozen weights as they are stored; of learning ones the copy that the GPU reads, where it is not the optimizer's.
    const bool sharded = shards_weights(s.sharding);
    const double dense_ranks = sharded ? ranks : 1;
    const double experts = sharded ? expert_ranks : 1;
    const double base = (p.base_layers / dense_ranks + p.base_experts / experts) * r.base_bytes +
                        p.base_other / dense_ranks * r.base_other_bytes;
    const bool own = !includes(s.offload, Offload::kOptimizer) || r.master_bytes > 0;
    const double learn = own ? (p.learn / dense_ranks + p.learn_experts / experts) * r.weight_bytes : 0;
    host.offloaded += Bytes{(base + learn) * here};
  }
  if (activations_on_host(r, s)) {
    host.offloaded += layer.boundary * (work.layers * stages.shares.fullest * std::min(s.pp, s.grad_accum) * here);
  }

  // A checkpoint is read in 16 bit, or in 32 where the network learns in 32. Ranks that read their own part map files
  // and copy tensor by tensor.
  const double checkpoint = work.params * std::min(4.0, std::max(2.0, r.element_bytes));
  switch (r.software_row->loading) {
    case Loading::kSharded:
      break;
    case Loading::kOnce:
    case Loading::kGathered:
      host.loading = Bytes{checkpoint};
      break;
    case Loading::kEveryRank:
      host.loading = Bytes{checkpoint * here};
      break;
  }
  host.processes = units::GiB * (here * (c.host_process_gib + c.host_workers_gib));
  return host;
}

Bytes unstated_host_memory(const TrainingConstants& constants, const NodeShape& node, double share) {
  constexpr Bytes kSmall = 96 * units::GiB;
  const Bytes gpu = node.gpu->memory * share;
  return std::max(gpu, std::min(gpu * constants.host_memory, kSmall)) * node.gpus;
}

}  // namespace gpuplan
