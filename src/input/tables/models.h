// models.csv as shapes of networks.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of a table of models, added to the catalogue with their names and aliases (without "organisation/"). A name is
/// also found without its points ("llama 31 8b") unless that spelling means another model. Errors name the row: a name
/// that already stands for another model, a size that is missing or out of range, a shape that contradicts itself.
Result<void> read_models(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
