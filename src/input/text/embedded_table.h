// The table of the files compiled in, as cmake/embedded_data.cmake writes it.
#pragma once

#include <string_view>

namespace gpuplan {

/// The bytes of a file by its name as they lie in the program: packed by gzip, but in WebAssembly; empty when there is
/// no such file.
std::string_view embedded_bytes(std::string_view file_name);

}  // namespace gpuplan
