// How far prices of one kind of machine lie apart at one provider: what somebody pays who comes when the machine of the
// list is gone.
#pragma once

#include <array>
#include <string>
#include <vector>

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

/// A row of data/price_spreads.csv.
struct PriceSpread {
  std::string provider;
  PriceTerms terms = PriceTerms::kOnDemand;
  SpreadOver over = SpreadOver::kHosts;
  double deviation = 0;  ///< standard deviation of the logarithm
  std::string source, as_of;

  bool operator==(const PriceSpread&) const = default;
};

}  // namespace gpuplan
