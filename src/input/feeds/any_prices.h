// A price list that a user names for one question, in any of the formats that can be imported.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/prices/price_file.h"

namespace gpuplan {

/// Offers of a list, in the order of its rows; those without a date are of the day in the name of the file, or of its
/// folder. Lists of gpuplan's own columns are read by read_prices(), which says of
/// each cell what it expected; others as `prices import` reads them. A row of a list of one's own that can not be used
/// is an error with file and line: whoever writes a list means all of it. Rows of other people's lists are passed over.
Result<std::vector<Offer>> read_any_prices(std::string_view text, std::string_view file,
                                           const std::vector<CurrencyRate>& rates, const Catalogue& catalogue);

}  // namespace gpuplan
