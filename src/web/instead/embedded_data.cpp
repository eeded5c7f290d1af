// In place of src/input/text/embedded_data.cpp, which unpacks by zlib: here the files lie as they are.
#include "input/text/embedded_data.h"

#include "input/text/embedded_table.h"

namespace gpuplan {

std::string_view embedded_data(std::string_view file_name) { return embedded_bytes(file_name); }

}  // namespace gpuplan
