// Everything that is written for one plan and one launcher, and what is said about it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/to/launchers.h"

namespace gpuplan {

struct LaunchFolder {
  std::vector<LaunchFile> files;  ///< README.md, plan.json, scripts of phases, the launcher's own; paths are unique
  std::vector<std::string> next;  ///< commands to type in the folder, each with a word on it after "  # "
  std::vector<std::string> notes;
};

/// Slugs of phases that begin anew when they are started again: nothing of their program is known to go on from a
/// checkpoint.
std::vector<std::string> slugs_begun_anew(const Launch& launch);

/// When somebody would use the file; "" where other scripts use it.
std::string use_of(const Launch& launch, const LaunchFile& file);

/// `plan_json`: the plan as `gpuplan check` reads it back.
Result<LaunchFolder> launch_folder(const Launch& launch, const Launcher& launcher, std::string plan_json);

}  // namespace gpuplan
