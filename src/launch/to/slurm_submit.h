// The script that hands a plan's jobs to Slurm.
#pragma once

#include <string>
#include <vector>

#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// What the names of all jobs begin with.
std::string slurm_stem(const Launch& launch);
/// "llama-8b-02-sft", "llama-8b" where one script holds all.
std::string slurm_job_name(const Launch& launch, const LaunchPhase& phase);
/// "slurm/02-sft.sbatch"
std::string slurm_batch_file(const LaunchPhase& phase);

/// `slurm/submit.sh`: runs the phases of one's own machine that come first, hands in the jobs with what each waits for,
/// and says what is left to do by hand. `required`: variables that must be set ("NAME: what"), or nothing is handed in.
LaunchFile slurm_submit_script(const Launch& launch, const std::vector<std::string>& required);

}  // namespace gpuplan
