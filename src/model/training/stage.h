// Which parameters the fullest ranks of a pipeline hold. Shared by memory and time of a step.
#pragma once

#include <algorithm>
#include <cmath>

#include "domain/work/strategy.h"
#include "model/training/training.h"

namespace gpuplan::detail {

/// Shares of the layers that the fullest stage and the last one hold: stages take whole layers, the last one the rest.
struct StageShares {
  double fullest = 1, last = 1;
};

inline StageShares stage_shares(double layers, int stages) {
  if (stages <= 1) return {};
  const double each = std::ceil(layers / stages);
  return {each / layers, std::max(0.0, layers - each * (stages - 1)) / layers};
}

/// Parameters on one GPU before data-parallel ranks share anything.
struct StageParameters {
  double learn = 0, learn_experts = 0;
  double base_layers = 0, base_experts = 0, base_other = 0;
  double one_layer = 0;  ///< learning and frozen parameters of one layer
  double looked_up = 0;  ///< of those that learn, an embedding that no product reads
  double outside = 0;    ///< of those outside the layers: embedding and output matrix, whether they learn or not
};

inline StageParameters stage_parameters(const TrainingWork& work, const Strategy& s, bool last_stage) {
  const StageShares shares = stage_shares(work.layers, s.pp);
  const double share = last_stage && s.pp > 1 ? shares.last : shares.fullest;
  const bool whole = s.pp == 1;
  const double embedding = whole || !last_stage ? 1 : 0;
  const double head = whole || last_stage ? 1 : 0;
  const double tied = !whole && last_stage ? 1 : 0;
  const double cut = 1.0 / s.tp;
  const double expert_cut = cut / s.ep;
  const auto outside = [&](const PlacedParameters& p) {
    return (p.embedding * embedding + p.head * head + p.tied * tied) * cut;
  };
  StageParameters stage;
  stage.learn = work.learn.layers * share * cut + outside(work.learn) + work.learn.whole;
  stage.learn_experts = work.learn.experts * share * expert_cut;
  stage.base_layers = work.base.layers * share * cut;
  stage.base_experts = work.base.experts * share * expert_cut;
  stage.base_other = outside(work.base) + work.base.whole;
  stage.outside = outside(work.learn) + outside(work.base);
  stage.looked_up = work.learn.tied > 0 ? 0 : work.learn.embedding * embedding * cut;
  stage.one_layer =
      ((work.learn.layers + work.base.layers) * cut + (work.learn.experts + work.base.experts) * expert_cut) /
      work.layers;
  return stage;
}

/// What the first stage holds, and the last: by the degrees of the cut alone.
struct Stages {
  StageShares shares;
  StageParameters first, last;  ///< `last` where there are several
};

inline Stages stages_of(const TrainingWork& work, const Strategy& s) {
  return {stage_shares(work.layers, s.pp), stage_parameters(work, s, false),
          s.pp > 1 ? stage_parameters(work, s, true) : StageParameters{}};
}

/// Ranks that share out optimizer state of dense parameters, and of experts (which lie in one of ep places already).
inline double shard_ranks(const Strategy& s) { return static_cast<double>(s.dp) * s.cp; }
inline double expert_shard_ranks(const Strategy& s) { return std::max(1.0, static_cast<double>(s.dp) * s.cp / s.ep); }

/// The same with hybrid sharding: ranks of one machine share, as far as its GPUs are not cut over otherwise.
inline double shard_ranks(const Strategy& s, int gpus_a_machine) {
  const double all = shard_ranks(s);
  if (s.sharding != Sharding::kHsdp) return all;
  return std::clamp(std::floor(static_cast<double>(gpus_a_machine) / s.tp), 1.0, all);
}
inline double expert_shard_ranks(const Strategy& s, int gpus_a_machine) {
  if (s.sharding != Sharding::kHsdp) return expert_shard_ranks(s);
  return std::max(1.0, shard_ranks(s, gpus_a_machine) / s.ep);
}

}  // namespace gpuplan::detail

namespace gpuplan {

// The same as without stages, for whoever asks of many strategies of one cut.
MemoryUse training_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                          const Strategy& strategy, const detail::Stages& stages);
TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes, const MemoryUse& memory,
                                   const detail::Stages& stages);
HostMemory training_host_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                const Strategy& strategy, const detail::Stages& stages);

}  // namespace gpuplan
