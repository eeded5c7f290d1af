// What reinforcement learning does before a network learns: its engine, which shares the GPUs, gives the answers that
// the step is about. The engine's own model is that of model/generation.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "model/generation/generation.h"
#include "model/training/training.h"

namespace gpuplan {

/// The engine that TRL runs inside the processes that train.
inline constexpr std::string_view kRolloutEngine = "vllm";

/// Level 1: its work points to its phase, so it stays where it was made.
struct RolloutWork {
  GeneratePhase phase;
  GenerationWork generation;

  RolloutWork() = default;
  RolloutWork(const RolloutWork&) = delete;
  RolloutWork& operator=(const RolloutWork&) = delete;
};
/// REQUIRES: phase.rollouts. Fails as generation_work() does.
Result<std::shared_ptr<const RolloutWork>> rollout_work(const TrainPhase& phase);

/// The format that its weights have: as they are published, since nothing tells it another.
Format rollout_format(const ModelShape& shape);

/// Level 2: of the engine on this machine; null where it does not run such a network there.
std::shared_ptr<const GenerationRates> rollout_rates(const Catalogue& catalogue, const NodeShape& node,
                                                     const TrainingWork& work);

/// Level 4: the answers of one step. REQUIRES: the work has rollouts, and the rates are theirs.
RolloutUse rollout_use(const TrainingWork& work, const GenerationRates& rates, const Strategy& strategy);

/// What the engine takes beside, or while it gives answers in place of, what learning does.
void add_rollout_memory(const TrainingWork& work, const GenerationRates& rates, const Strategy& strategy,
                        MemoryUse& use);

/// How far off a step may be that is partly rollouts: no narrower than either part by itself, since nothing measured
/// says that their errors make up for each other.
Spread with_rollouts(Spread spread, const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy,
                     const TrainingEstimate& estimate);

/// The longest of `n` lengths that is expected: lengths are taken as lognormal with the longest three deviations out,
/// by Blom's approximation (1958). A rule of thumb, not measured.
double longest_of(double mean, double most, double n);

/// Says how many answers a GPU gives at once: TRL pads them all, and their prompts, to the longest of them before it
/// cuts them into micro-batches (trl/trainer/grpo_trainer.py, _generate_and_score_completions). No effect on other
/// work.
void pad_answers(TrainingWork& work, double answers);

}  // namespace gpuplan
