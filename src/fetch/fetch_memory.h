// What was fetched before, so that a list that has not changed is not sent again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fetch/fetch_list.h"

namespace gpuplan::fetch {

/// The last answer of a list.
struct Remembered {
  Validators validators{};
  std::string url;          ///< that was asked: another one is another list
  std::string date;         ///< of its prices: 2026-11-20
  std::int64_t import = 0;  ///< number of the import in the store
};

/// By the name of the list, "skypilot/aws".
using FetchMemory = std::map<std::string, Remembered, std::less<>>;

/// What can not be read is forgotten: then a list is fetched again.
FetchMemory read_fetch_memory(std::string_view text);
std::string fetch_memory_text(const FetchMemory& memory);

}  // namespace gpuplan::fetch
