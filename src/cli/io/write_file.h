// One file, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <system_error>

namespace gpuplan::cli {

/// What System::write_file is on a disk. Others see the old file or the new one, never half of it: written beside it,
/// then renamed over it. Its rights and owner stay, and a link to it stays a link. errc::operation_canceled when a
/// signal came meanwhile; it ends the program unless somebody takes it. `rights`: of a file that is new, less what the
/// user never gives.
std::error_code write_to_disk(const std::string& file, std::string_view text, mode_t rights = 0666);

}  // namespace gpuplan::cli
