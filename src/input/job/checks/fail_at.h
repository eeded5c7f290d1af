// Wrong input at a key below the one that is checked.
#pragma once

#include <string>
#include <string_view>

#include "input/declaration/reader.h"

namespace gpuplan {

/// reader.fail() at `key` below `tree`, or at a path of two such as "parallel.tp"; as far as the path leads there.
bool fail_at(Reader& reader, const Tree& tree, std::string_view key, const std::string& message);

}  // namespace gpuplan
