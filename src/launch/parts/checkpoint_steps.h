// How often a phase that may be cut short writes a checkpoint.
#pragma once

#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// Optimizer steps from one checkpoint to the next, as steps_between_checkpoints() has them; where the machines can be
/// taken away and the job says nothing, as often as the plan counts with, every hour of work where nobody says how
/// often they are; on others as often as failures of hardware are worth it. 0 when the phase has no steps.
int checkpoint_steps(const Launch& launch, const LaunchPhase& laid);

/// The estimate with as many checkpoints as that makes: for fill_command().
PhaseEstimate with_due_checkpoints(const Launch& launch, const LaunchPhase& laid);

}  // namespace gpuplan
