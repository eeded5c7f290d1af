// What an offer costs on the day of the plan.
#pragma once

#include "base/interval.h"
#include "domain/market/offer.h"

namespace gpuplan {

/// The price of the whole offer with what its list leaves open: the range that it states, and what it may have become
/// since (Offer::price_doubt). REQUIRES: the offer has that price.
Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot);
/// The same of a listed price and its doubt.
Interval<DollarsPerSecond> price_today(const Interval<DollarsPerSecond>& listed, double doubt);

}  // namespace gpuplan
