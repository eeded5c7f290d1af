// How far offers of one kind lie apart.
#pragma once

#include <vector>

#include "domain/market/offer.h"
#include "domain/market/own_scatter.h"

namespace gpuplan {

/// Adds to `scatters`, by kinds that are not there yet too, what offers of one day tell of hosts (single machines with
/// as many of one GPU), zones (of one instance in one region) and regions (of one instance, each at the mean of its
/// zones).
void add_offer_scatter(const std::vector<Offer>& offers, OwnScatters& scatters);

}  // namespace gpuplan
