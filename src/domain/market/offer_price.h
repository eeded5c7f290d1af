// What an offer costs on the day of the plan.
#pragma once

#include "base/interval.h"
#include "domain/market/offer.h"

namespace gpuplan {

/// The price of the whole offer with what its list leaves open: the range that it states, and what it may have become
/// since and may be elsewhere (PriceDoubt). REQUIRES: the offer has that price.
Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot);

/// Both parts of a doubt together.
double whole(const PriceDoubt& doubt);
inline const PriceDoubt& doubt_of(const Offer& offer, bool spot) { return spot ? offer.spot_doubt : offer.price_doubt; }

}  // namespace gpuplan
