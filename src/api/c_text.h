// Texts for callers in C.
#pragma once

#include <string>

namespace gpuplan::api {

/// A copy that gpuplan_free() frees; null for want of memory.
char* c_text(const std::string& text);

}  // namespace gpuplan::api
