// Strategies for a generation phase: tensor parallelism and layer split, shared experts, replicas, placement of several
// models, and fewer sequences in flight where a target asks for short answers.
#pragma once

#include "plan/strategy/generation/generation_trial.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// The best way of an engine on so many of the machines' GPUs; `any` is false where none runs. What it rejects and why
/// goes to the tally. `given`: figures of the job that stand in for the model's; may be null.
GenerationCandidate search_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                      const Machines& machines, int gpus, const GenerationRates& rates,
                                      const Framework& engine, const Given* given, Tally& tally);

}  // namespace gpuplan
