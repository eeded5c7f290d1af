// Parts of the world, and what providers call the regions in them: data/regions.csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// "eu" -> "eu-north*", "DE", "Germany", ...: names of regions, of countries that stand last in one ("Berlin,
/// Germany"), or how regions begin before a '*'. Those of the areas that it holds too. Empty: no such area.
const std::vector<std::string>& regions_of(std::string_view area);

/// The areas by their foremost names: "eu", "us", "germany", ...
std::vector<std::string> region_areas();

/// What all areas hold.
const std::vector<std::string>& all_regions();

/// The areas and regions that a text names: "us, eu-north1" two, and "Secaucus, United States" one, as a region of the
/// offers, or a city before its country. An empty one stands for a hole: "us,,eu".
std::vector<std::string> regions_named(std::string_view text, const std::vector<Offer>& offers);

}  // namespace gpuplan
