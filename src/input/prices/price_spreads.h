// price_spreads.csv: how far prices of one kind lie apart at a provider.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Adds the rows to the catalogue. The error names the row: no spread, or the same provider, terms and places twice.
Result<void> read_price_spreads(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
