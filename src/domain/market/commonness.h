// How common GPUs are: by how many providers of a market rent them, whatever numbers of them a job looks at.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// How many providers rent each GPU, by its name.
using ProvidersByGpu = std::vector<std::pair<Word, int>>;
/// Those with that GPU, by its name; 0: none.
int providers_with(const ProvidersByGpu& counts, std::string_view gpu);
/// Of all these offers.
ProvidersByGpu providers_by_gpu(const std::vector<Offer>& offers);

/// Counts one offer after the other.
class ProviderCount {
 public:
  void add(const Offer& offer);
  /// What was counted, in the order of the GPUs' names.
  ProvidersByGpu take();

 private:
  std::vector<std::pair<Word, Word>> met_;  ///< GPU and provider, each time another one than before
};

}  // namespace gpuplan
