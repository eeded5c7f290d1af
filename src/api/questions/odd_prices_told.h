// Own price lists held against the market.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan::api {

/// What to tell of prices that are far from what others ask; empty: none is.
std::string odd_prices_told(const std::vector<Offer>& offers, const Catalogue& catalogue);

}  // namespace gpuplan::api
