#include "launch/parts/checkpoint_steps.h"

#include <algorithm>

#include "plan/billing/interruptions.h"
#include "plan/notes/command_text.h"

namespace gpuplan {

PhaseEstimate with_due_checkpoints(const Launch& launch, const LaunchPhase& laid) {
  PhaseEstimate estimate = laid.part->estimate;
  const Offer* offer = laid.part->offer;
  const bool taken = offer != nullptr && (laid.part->spot || offer->preemptible);
  if (!taken || estimate.steps < 1 || estimate.checkpoints > 1 || estimate.work.p50 <= Seconds{}) return estimate;
  Seconds apart = 1 * units::hour;  // where nobody says how often that happens
  if (interruption_rate(launch.job, *offer)) {
    const SpotTerms terms = spot_terms(launch.job, estimate, *offer);
    if (const Seconds best = recoverable(terms, interruptible_work(estimate)).interval; best > Seconds{}) apart = best;
  }
  // No more of them than there are steps.
  estimate.checkpoints = std::clamp(estimate.work.p50 / apart, 1.0, estimate.steps);
  return estimate;
}

int checkpoint_steps(const Launch& launch, const LaunchPhase& laid) {
  return steps_between_checkpoints(*laid.phase, with_due_checkpoints(launch, laid));
}

}  // namespace gpuplan
