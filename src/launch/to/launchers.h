// The launchers: what each writes around the scripts of the phases. One file each: launch/to/bash.cpp, slurm.cpp,
// skypilot.cpp, dstack.cpp, kubernetes.cpp, vast.cpp, runpod.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// What a launcher adds to the scripts of phases and machines.
struct LaunchSet {
  std::vector<LaunchFile> files;
  std::vector<std::string> next;   ///< commands to type now, each with a word on it after " # "
  std::vector<std::string> notes;  ///< sentences: what to know before starting
};

Result<LaunchSet> bash_launcher(const Launch& launch);
Result<LaunchSet> slurm_launcher(const Launch& launch);
Result<LaunchSet> skypilot_launcher(const Launch& launch);
Result<LaunchSet> dstack_launcher(const Launch& launch);
Result<LaunchSet> kubernetes_launcher(const Launch& launch);
Result<LaunchSet> vast_launcher(const Launch& launch);
Result<LaunchSet> runpod_launcher(const Launch& launch);

struct Launcher {
  std::string_view name;
  std::string_view help;
  Result<LaunchSet> (*make)(const Launch&);
  bool one_script = false;  ///< a single phase is one script, with all that the others would share inside
};
std::span<const Launcher> launchers();

}  // namespace gpuplan
