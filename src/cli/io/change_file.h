// Changing a file that several programs change: one after the other, whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// What System::change_file() says. The folder of the file is made, for its owner alone, and so is the file; a lock on
/// the folder is held from reading to writing.
std::error_code change_on_disk(const std::string& file, std::size_t limit, const FileChange& change);

}  // namespace gpuplan::cli
