// What interruptions do to the phases of a plan, for --explain.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// A sentence or two for each phase whose machines can be taken away: the rate and what it means, checkpoints, restart,
/// what the interval loses against others.
std::vector<std::string> spot_words(const Job& job, const Plan& plan);

}  // namespace gpuplan
