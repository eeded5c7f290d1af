// The script of a trial (launch/parts/smoke_job.h): runs each phase, stops it after its first checkpoint, starts it
// again, and says what worked.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// Where the script that looks on runs.
enum class TrialFrom {
  kMachine,  ///< on the machine of the phases
  kSlurm,    ///< where jobs are handed in
};

/// `path` beside the scripts; `phases`: positions in Launch::phases. Fails as phase_work().
Result<LaunchFile> smoke_script(const Launch& launch, const std::string& path, const std::vector<int>& phases,
                                TrialFrom from);
/// Of all phases.
Result<LaunchFile> smoke_script(const Launch& launch, TrialFrom from);

}  // namespace gpuplan
