// What every fuzzer demands of an error: one clear line that a terminal shows as it is.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/text.h"

inline void check_error(const gpuplan::Error& error, std::size_t longest = 600) {
  const std::string& message = error.message;
  if (message.empty() || message.size() > longest) __builtin_trap();
  if (gpuplan::printable(message, longest) != message) __builtin_trap();
}
