#include "plan/strategy/practice.h"

#include <algorithm>
#include <cmath>

namespace gpuplan {

namespace {

// Factors, each for one thing that somebody has to set up, and to look for faults in.

/// Tensor parallelism needs layers written for it. Recipes compute half of the layers again before they take it, which
/// costs about a sixth (torchtitan and Megatron Bridge run 7-8B models without).
constexpr double kTensor = 1.20;
/// Over PCIe two all-reduces a layer depend on slots, switches and host; no published recipe does it.
constexpr double kTensorOverPcie = 1.3;
/// Stages, schedules and an uneven first and last stage.
constexpr double kPipeline = 1.20;
/// Of several stages on each rank: a number in the configuration once there is a pipeline.
constexpr double kInterleave = 1.01;
/// Sequences cut over ranks: masks, positions and losses have to follow.
constexpr double kContext = 1.05;
/// Experts on several ranks; more than one machine makes balance and network matter.
constexpr double kExpert = 1.03, kExpertAcross = 1.08;
/// Host memory: speed hangs on a host that nobody measured.
constexpr double kOffload = 1.10;
/// Checkpoints and the clipping of gradients have to know of shards: recipes of small models run plain copies although
/// sharing out the optimizer would make a step some percent shorter. By Sharding.
constexpr double kSharding[] = {1, 1.04, 1.045, 1.05, 1.055};
/// The script is written for another framework. On the same work frameworks differ by about as much (the spread of
/// the column `time` in data/training_software.csv), so that less may be the framework's gain and not the cut's.
constexpr double kOtherFramework = 1.15;

/// However much there is to do: nobody leaves this much lying.
constexpr double kMostCare = 1.4;

/// GPUs up to which all of this counts in full; beyond, as the root of their number.
constexpr double kFewGpus = 64;

bool wider_than_a_machine(int ranks, const NodeShape& node) { return ranks > node.gpus; }

double for_so_many(double factor, double gpus) {
  return gpus <= kFewGpus ? factor : 1 + (factor - 1) * std::sqrt(kFewGpus / gpus);
}

}  // namespace

bool fast_links(const NodeShape& node) {
  return node.direct_link() && (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2);
}

bool usual(const Framework& framework, const Framework& first, bool moe) {
  return moe ? framework.expert : &framework == &first;
}

double care(const Strategy& s, const NodeShape& node, bool usual) {
  double factor = kSharding[static_cast<std::size_t>(s.sharding)];
  if (s.tp > 1) factor *= fast_links(node) ? kTensor : kTensorOverPcie;
  if (s.pp > 1) factor *= kPipeline;
  if (s.interleave > 1) factor *= kInterleave;
  if (s.cp > 1) factor *= kContext;
  if (s.ep > 1) factor *= wider_than_a_machine(s.ep * s.tp * s.cp, node) ? kExpertAcross : kExpert;
  if (s.offload != Offload::kNone) factor *= kOffload;
  if (!usual) factor *= kOtherFramework;
  return for_so_many(std::min(factor, kMostCare), s.gpus());
}

double most_care(double gpus) { return for_so_many(kMostCare, gpus); }

int complexity(const Strategy& s) {
  return (s.tp > 1 ? 2 : 0) + (s.pp > 1 ? 3 : 0) + (s.interleave > 1 ? 1 : 0) + (s.cp > 1 ? 2 : 0) +
         (s.ep > 1 ? 2 : 0) + (s.offload != Offload::kNone ? 2 : 0) + (s.recompute != Recompute::kNone ? 1 : 0) +
         static_cast<int>(s.sharding) + (s.compile ? 1 : 0);
}

bool can_run(const Framework& f, const Strategy& s) {
  const bool recomputes =
      s.recompute == Recompute::kNone || (s.recompute == Recompute::kFull ? f.recompute_full : f.recompute_selective);
  return recomputes && f.zero[static_cast<std::size_t>(s.sharding)] && (s.tp == 1 || f.tensor) &&
         (s.pp == 1 || f.pipeline) && (s.interleave == 1 || f.interleave) && (s.cp == 1 || f.context) &&
         (s.ep == 1 || f.expert) && includes(f.offload, s.offload);
}

}  // namespace gpuplan
