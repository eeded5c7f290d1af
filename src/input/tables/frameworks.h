// frameworks.csv, framework_limits.csv and optimizers.csv as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of a framework table, added to the catalogue with their names and aliases. Errors name the row: a name that
/// already stands for another framework, an unknown precision, optimizer, method or vendor, a cell that is neither yes
/// nor no.
Result<void> read_frameworks(std::string_view text, std::string_view file, Catalogue& catalogue);

/// Rows of a table of limits, each added to its framework. Errors name the row: a framework that is not in the
/// catalogue or does not train, an unknown limit, one that stands there twice.
Result<void> read_framework_limits(std::string_view text, std::string_view file, Catalogue& catalogue);

/// Rows of a table of optimizers. Errors name the row: an optimizer that gpuplan does not know or that stands there
/// twice, a number that is none.
Result<void> read_optimizers(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
