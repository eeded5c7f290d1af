#include "input/text/embedded_data.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "input/text/gunzip.h"

namespace {

// One row of the table in embedded_data.S (written by cmake/embedded_data.cmake).
struct EmbeddedFile {
  const char* name;
  std::size_t name_size;
  const char* bytes;  ///< packed by gzip
  std::size_t size;
};

}  // namespace

extern "C" {
extern const EmbeddedFile gpuplan_embedded_table[];
extern const std::size_t gpuplan_embedded_count;
}

namespace gpuplan {

std::string_view embedded_data(std::string_view file_name) {
  for (const EmbeddedFile& file : std::span(gpuplan_embedded_table, gpuplan_embedded_count)) {
    if (std::string_view(file.name, file.name_size) != file_name) continue;
    // Few runs ask for a file, and for few of them: each is unpacked when it is asked for.
    static std::mutex mutex;
    static std::map<const EmbeddedFile*, std::string> texts;
    const std::scoped_lock lock(mutex);
    const auto [at, first] = texts.try_emplace(&file);
    if (first) Gunzip().feed({file.bytes, file.size}, [&](std::string_view piece) { at->second += piece; });
    return at->second;
  }
  return {};
}

}  // namespace gpuplan
