#include "launch/parts/checkpoint_steps.h"

#include "plan/billing/interruptions.h"
#include "plan/notes/command_text.h"

namespace gpuplan {

PhaseEstimate with_due_checkpoints(const Launch& launch, const LaunchPhase& laid) {
  return with_due_checkpoints(launch.job, *laid.part);
}

int checkpoint_steps(const Launch& launch, const LaunchPhase& laid) {
  return steps_between_checkpoints(*laid.phase, with_due_checkpoints(launch, laid));
}

}  // namespace gpuplan
