#include "plan/practice.h"

namespace gpuplan {

namespace {

// Factors, each for one thing that somebody has to set up, and to look for faults in.

/// Tensor parallelism needs layers written for it; recipes leave it out until sharded data parallelism is slower by
/// about a tenth (torchtitan and Megatron Bridge run 7-8B models without).
constexpr double kTensor = 1.12;
/// Over PCIe two all-reduces a layer depend on slots, switches and host; no published recipe does it.
constexpr double kTensorOverPcie = 1.3;
/// Stages, schedules and an uneven first and last stage.
constexpr double kPipeline = 1.12;
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

bool wider_than_a_machine(int ranks, const NodeShape& node) { return ranks > node.gpus; }

}  // namespace

bool fast_links(const NodeShape& node) {
  return node.link > BytesPerSecond{} && node.link_kind != LinkKind::kPcie && node.link_kind != LinkKind::kNone &&
         (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2);
}

double care(const Strategy& s, const NodeShape& node) {
  double factor = kSharding[static_cast<std::size_t>(s.sharding)];
  if (s.tp > 1) factor *= fast_links(node) ? kTensor : kTensorOverPcie;
  if (s.pp > 1) factor *= kPipeline;
  if (s.interleave > 1) factor *= kInterleave;
  if (s.cp > 1) factor *= kContext;
  if (s.ep > 1) factor *= wider_than_a_machine(s.ep * s.tp * s.cp, node) ? kExpertAcross : kExpert;
  if (s.offload != Offload::kNone) factor *= kOffload;
  return factor;
}

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
