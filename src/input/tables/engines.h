// engines.csv as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Inference engines, each a framework of the catalogue that generates, "*" or "*eager". Errors: a name that is none of
/// them or given twice, a format that does not exist, a number out of its range.
Result<void> read_engines(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
