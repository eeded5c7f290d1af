// What offers are known to ask.
#pragma once

#include <algorithm>
#include <string>

namespace gpuplan::audit {

/// The cheapest and the dearest of so many offers.
struct KnownPrices {
  double low = 0, high = 0;
  int offers = 0;
  std::string oldest, newest;

  void add(double price, const std::string& as_of) {
    low = offers == 0 ? price : std::min(low, price);
    high = offers == 0 ? price : std::max(high, price);
    if (offers == 0 || as_of < oldest) oldest = as_of;
    if (offers == 0 || as_of > newest) newest = as_of;
    ++offers;
  }
};

}  // namespace gpuplan::audit
