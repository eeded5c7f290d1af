// What JavaScript can call in the WebAssembly module; `_initialize` comes first.
#include <cstdint>

#include "self_check/self_check.h"

extern "C" [[clang::export_name("gpuplan_self_check")]] std::uint64_t gpuplan_self_check() {
  return gpuplan::self_check_hash();
}
