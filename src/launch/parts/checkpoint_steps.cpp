#include "launch/parts/checkpoint_steps.h"

#include <algorithm>
#include <cmath>

#include "plan/billing/interruptions.h"
#include "plan/notes/command_text.h"

namespace gpuplan {

PhaseEstimate with_due_checkpoints(const Launch& launch, const LaunchPhase& laid) {
  PhaseEstimate estimate = laid.part->estimate;
  const Offer* offer = laid.part->offer;
  const bool taken = offer != nullptr && (laid.part->spot || offer->preemptible);
  if (estimate.steps < 1 || estimate.checkpoints > 1 || estimate.work.p50 <= Seconds{}) return estimate;
  Seconds apart = 1 * units::hour;  // where nobody says how often that happens
  if (!taken) {
    // Machines that stay break down: the root of twice the time of a checkpoint and the time between failures (Young
    // 1974), and not more than one an hour.
    if (estimate.checkpoint_rate <= BytesPerSecond{}) return estimate;
    const Seconds one = estimate.checkpoint_bytes / estimate.checkpoint_rate;
    const Seconds between =
        units::hour * (launch.catalogue.practice_constants.gpu_hours_to_failure / std::max(1, estimate.gpus));
    apart = std::max(apart, Seconds{std::sqrt(2 * one.value * between.value)});
    if (apart >= estimate.work.p50) return estimate;
  } else if (interruption_rate(launch.job, *offer)) {
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
