// A folder of files, written whole or not at all.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// What System::write_folder is on a disk: writes the files below `folder`. A folder that is not there appears at once
/// with all of them; into one that is there they are moved when all of them are written, and no two gpuplans do so at
/// once. What a process that was killed left unfinished goes with the next. Usage error when the folder holds anything
/// already, unless `force`: then files of the same names are replaced and all others stay. Never writes through a
/// symbolic link below the folder.
std::expected<void, FolderRefusal> write_folder_to_disk(const std::string& folder, const std::vector<LaunchFile>& files,
                                                        bool force);

}  // namespace gpuplan::cli
