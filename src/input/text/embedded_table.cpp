#include "input/text/embedded_table.h"

#include <cstddef>
#include <span>

namespace {

// One row of the table in embedded_data.S.
struct EmbeddedFile {
  const char* name;
  std::size_t name_size;
  const char* bytes;
  std::size_t size;
};

}  // namespace

extern "C" {
extern const EmbeddedFile gpuplan_embedded_table[];
extern const std::size_t gpuplan_embedded_count;
}

namespace gpuplan {

std::string_view embedded_bytes(std::string_view file_name) {
  for (const EmbeddedFile& file : std::span(gpuplan_embedded_table, gpuplan_embedded_count))
    if (std::string_view(file.name, file.name_size) == file_name) return {file.bytes, file.size};
  return {};
}

}  // namespace gpuplan
