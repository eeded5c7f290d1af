// A small made-up world for the self check: hardware, software, networks and offers that no data file holds, so that
// the hash depends on code alone.
#pragma once

#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/model_use.h"

namespace gpuplan::self_check {

/// Accelerators of several generations and vendors, boxes of them, frameworks and engines.
Catalogue catalogue();

/// Networks of every kind: grouped heads, experts, latent attention, windows, encoder, image, and one that is known by
/// its totals only.
std::vector<ModelUse> networks();

/// Rented machines, a pool and a box of one's own, with all billing rules.
std::vector<Offer> offers(const Catalogue& catalogue);

}  // namespace gpuplan::self_check
