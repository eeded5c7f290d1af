// A folder of files, written whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "launch/parts/launch_plan.h"

namespace gpuplan::cli {

/// Writes the files below `folder`. A folder that is not there appears at once with all of them; into one that is there
/// they are moved when all of them are written, and no two gpuplans do so at once. What a process that was killed left
/// unfinished goes with the next. Usage error when the folder holds anything already, unless `force`: then files of the
/// same names are replaced and all others stay. Never writes through a symbolic link below the folder. Returns kDone,
/// or the exit code after a message.
int write_folder(const std::string& folder, const std::vector<LaunchFile>& files, bool force);

}  // namespace gpuplan::cli
