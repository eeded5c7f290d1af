// A phase of a plan as a measured run would say it, so that what is predicted for that run is what was planned: how the
// user's own runs are kept.
#pragma once

#include <optional>
#include <variant>

#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "evidence/validation/generation_run.h"
#include "evidence/validation/training_run.h"
#include "plan/answer/plan.h"

namespace gpuplan {

using AnyRun = std::variant<TrainingRun, GenerationRun>;

inline const MeasuredRun& common_of(const AnyRun& run) {
  return std::visit([](const auto& one) -> const MeasuredRun& { return one; }, run);
}
inline MeasuredRun& common_of(AnyRun& run) {
  return std::visit([](auto& one) -> MeasuredRun& { return one; }, run);
}

/// The configuration; nothing is measured. nullopt: the phase neither trains nor generates on GPUs. `catalogue` is the
/// one that the plan was made with.
std::optional<AnyRun> planned_run(const Phase& phase, const PhaseEstimate& estimate, const Catalogue& catalogue);

/// Medians of the plan by the model alone: seconds of a step; generated or read tokens a second. 0: there is none.
double planned_step(const PhaseEstimate& estimate);
double planned_rate(const PhaseEstimate& estimate);

}  // namespace gpuplan
