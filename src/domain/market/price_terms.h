// Kinds of prices, and what they differ over.
#pragma once

#include <array>

#include "base/names.h"

namespace gpuplan {

/// What a price differs over. A zone is a part of a region.
enum class SpreadOver { kHosts, kZones, kRegions };
template <>
struct Names<SpreadOver> {
  static constexpr std::array entries = {Named<SpreadOver>{SpreadOver::kHosts, "hosts"},
                                         Named<SpreadOver>{SpreadOver::kZones, "zones"},
                                         Named<SpreadOver>{SpreadOver::kRegions, "regions"}};
};

enum class PriceTerms { kOnDemand, kSpot };
template <>
struct Names<PriceTerms> {
  static constexpr std::array entries = {Named<PriceTerms>{PriceTerms::kOnDemand, "on_demand"},
                                         Named<PriceTerms>{PriceTerms::kSpot, "spot"}};
};

}  // namespace gpuplan
