// One file, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// What System::write_file is on a disk. Others see the old file or the new one, never half of it: written beside it,
/// then renamed over it. Its rights and owner stay, and a link to it stays a link. errc::operation_canceled when a
/// signal came meanwhile; it ends the program unless somebody takes it. `rights`: of a file that is new, less what the
/// user never gives.
std::error_code write_to_disk(const std::string& file, std::string_view text, mode_t rights = 0666);

/// What System::change_file is on a disk. The folder of the file is made, for its owner alone, and so is the file; a
/// lock on the folder is held from reading to writing.
std::error_code change_on_disk(const std::string& file, std::size_t limit, const FileChange& change);

}  // namespace gpuplan::cli
