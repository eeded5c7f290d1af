#include "input/text/embedded_data.h"

#include <map>
#include <mutex>
#include <string>

#include "input/text/embedded_table.h"
#include "input/text/gunzip.h"

namespace gpuplan {

std::string_view embedded_data(std::string_view file_name) {
  const std::string_view packed = embedded_bytes(file_name);
  if (packed.empty()) return {};
  // Few runs ask for a file, and for few of them: each is unpacked when it is asked for.
  static std::mutex mutex;
  static std::map<const char*, std::string> texts;
  const std::scoped_lock lock(mutex);
  const auto [at, first] = texts.try_emplace(packed.data());
  if (first) Gunzip().feed(packed, [&](std::string_view piece) { at->second += piece; });
  return at->second;
}

}  // namespace gpuplan
