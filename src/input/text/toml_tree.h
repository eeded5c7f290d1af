// Reads TOML into the same tree as YAML, so that the declarations of the job file serve gpuplan.toml too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

inline constexpr std::size_t kMaxTomlBytes = 64'000;  ///< a sensible gpuplan.toml has some hundred

/// One document. Refused, each with one line: text over the bounds, what TOML itself refuses, numbers that are none,
/// and keys or texts that a terminal can not show. `file` is the name used in places.
Result<Tree> parse_toml(std::string_view text, const std::string& file);

}  // namespace gpuplan
