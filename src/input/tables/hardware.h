// gpus.csv and nodes.csv as domain values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of a GPU table, added to the catalogue with their names and aliases. Errors name the row: a name or alias that
/// already stands for another GPU, a figure that is missing, no number or out of range, usable memory above the label.
Result<void> read_gpus(std::string_view text, std::string_view file, Catalogue& catalogue);

/// Rows of a node table; their GPUs must be known, by name or alias.
Result<void> read_nodes(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
