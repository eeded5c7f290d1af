// Written scripts, held against the validators that are installed.
#pragma once

#include <string>
#include <vector>

#include "cli/io/system.h"
#include "launch/launch_report.h"

namespace gpuplan::cli {

/// Runs what is installed on the files below `folder`: bash -n and shellcheck on shell scripts, sbatch --test-only on
/// batch scripts, Python's own parser on programs, PyYAML and kubeconform on YAML, a JSON parser on JSON. Starts no
/// shell and none of the scripts; a validator that does not answer within 30 s has failed.
std::vector<ScriptCheck> check_scripts(System& system, const std::string& folder, const std::vector<LaunchFile>& files);

}  // namespace gpuplan::cli
