// A folder of files, written whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch_plan.h"

namespace gpuplan::cli {

/// Writes the files below `folder`. A folder that is not there appears at once with all of them; into one that is there
/// each file is written beside its place and then moved there. Usage error when the folder holds anything already,
/// unless `force`: then files of the same names are replaced and all others stay. Never writes through a symbolic link.
Result<void> write_folder(const std::string& folder, const std::vector<LaunchFile>& files, bool force);

}  // namespace gpuplan::cli
