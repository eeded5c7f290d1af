// What spot interruptions do to a phase, in expectation.
#pragma once

#include <optional>

#include "domain/job.h"
#include "spot/expected_loss.h"

namespace gpuplan {

/// Interruptions a second of one machine of this offer while on spot; nullopt when nobody says.
std::optional<PerSecond> interruption_rate(const Job& job, const Offer& offer);

/// `work` of a phase under interruptions at this rate (all its machines together), with the checkpoints that the job
/// asks for, else those that lose least.
ExpectedRun with_interruptions(const Job& job, const Phase& phase, Seconds work, PerSecond rate);

}  // namespace gpuplan
