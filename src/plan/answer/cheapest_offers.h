// Of a large market the offers that a plan may want.
#pragma once

#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/market/offer.h"

namespace gpuplan {

/// Keeps of a provider's rented offers that differ in place and price alone the cheapest two on demand and the cheapest
/// two on spot, in their order. Pools and own boxes stay. The name of a machine makes a difference where the catalogue
/// describes that machine. One look at each offer.
void keep_cheapest(std::vector<const Offer*>& market, const Catalogue& catalogue);

/// Which of these rented offers may be among the cheapest two of their kind, on demand or on spot, whatever is left out
/// of a market for its date, source or reliability, and whatever the catalogue describes.
std::vector<bool> may_be_cheapest(const std::vector<Offer>& offers);

}  // namespace gpuplan
