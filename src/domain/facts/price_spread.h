// How far prices of one kind of machine lie apart at one provider: what somebody pays who comes when the machine of the
// list is gone.
#pragma once

#include <string>
#include <vector>

#include "domain/market/price_terms.h"

namespace gpuplan {

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
