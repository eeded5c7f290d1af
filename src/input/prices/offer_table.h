// offers.csv, the dated snapshot of the market, as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of an offer table, added to the catalogue; prices are for the whole offer. Errors name the row: an unknown GPU,
/// no price at all, a price that is not positive, a spot price that is no discount, no source or date.
Result<void> read_offers(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
