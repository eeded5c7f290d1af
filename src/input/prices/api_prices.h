// api_prices.csv: what providers ask for tokens.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Adds the rows to the catalogue, whose models are read already. The error names the row: a model that is unknown, a
/// price of nothing, a provider that has the model twice.
Result<void> read_api_prices(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
