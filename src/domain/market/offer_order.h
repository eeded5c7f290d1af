// One order of offers, by what they say.
#pragma once

#include "domain/market/offer.h"

namespace gpuplan {

/// A total order: of two offers that differ in anything one comes before the other, whatever list they come from. By
/// GPU, number of them, kind, provider, region, zone and instance, then by price, then by all the rest.
bool before(const Offer& a, const Offer& b);

/// They are the same thing to rent, whatever its price and date: GPU, number of them, kind, provider, region, zone and
/// instance are the same.
bool same_place(const Offer& a, const Offer& b);

/// Nothing tells them apart.
bool same_offer(const Offer& a, const Offer& b);

}  // namespace gpuplan
