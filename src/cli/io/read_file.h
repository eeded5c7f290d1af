// Reading files that users name.
#pragma once

#include <string>

#include "base/result.h"

namespace gpuplan::cli {

/// What messages call the file: "-" is standard input.
std::string shown_name(const std::string& name);

/// True for what is a file by itself: no folder, pipe or device.
bool is_file(const std::string& name);

/// Why a file can not be read, by the error number of the system: "no such file".
std::string unreadable_words(int code);

/// The whole text of a file, or of standard input for "-". Fails for folders, for what can not be opened, and for
/// more than `limit` bytes; messages say what to do and carry the file as place.
Result<std::string> read_file(const std::string& name, std::size_t limit);

}  // namespace gpuplan::cli
