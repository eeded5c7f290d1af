// assumptions.csv as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/catalogue.h"

namespace gpuplan {

/// Assumptions in any order; what has no row keeps its built-in range. Errors: a name that is none of them, a name
/// given twice, another unit than the one it is known in, a range that does not rise.
Result<void> read_assumptions(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
