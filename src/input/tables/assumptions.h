// assumptions.csv as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Assumptions in any order. Errors: a name that is none of them, a name given twice or not at all, another unit than
/// the one it is known in, a range that does not rise.
Result<void> read_assumptions(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
