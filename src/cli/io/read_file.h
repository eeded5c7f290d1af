// Reading files that users name.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <system_error>

#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

/// What messages call the file: "-" is standard input.
std::string shown_name(const std::string& name);

/// Why a file can not be read: "no such file".
std::string unreadable_words(const std::error_code& error);

/// The whole text of a file, or of standard input for "-". Fails for folders, for what can not be opened, and for
/// more than `limit` bytes; messages say what to do and carry the file as place.
Result<std::string> read_file(System& system, const std::string& name, std::size_t limit);

/// What System::read is on a disk.
std::expected<std::string, std::error_code> read_from_disk(const std::string& name, std::size_t limit);

}  // namespace gpuplan::cli
