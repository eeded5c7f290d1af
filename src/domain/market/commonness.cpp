#include "domain/market/commonness.h"

#include <algorithm>

namespace gpuplan {

int providers_with(const ProvidersByGpu& counts, std::string_view gpu) {
  const auto place =
      std::ranges::find(counts, gpu, [](const auto& count) { return std::string_view(count.first.str()); });
  return place == counts.end() ? 0 : place->second;
}

ProvidersByGpu providers_by_gpu(const std::vector<Offer>& offers) {
  ProviderCount count;
  for (const Offer& offer : offers) count.add(offer);
  return count.take();
}

void ProviderCount::add(const Offer& offer) {
  // Lists have the offers of a provider's GPU together.
  if (!met_.empty() && met_.back().first == offer.gpu && met_.back().second == offer.provider) return;
  met_.emplace_back(offer.gpu, offer.provider);
}

ProvidersByGpu ProviderCount::take() {
  std::ranges::sort(met_);
  met_.erase(std::ranges::unique(met_).begin(), met_.end());
  ProvidersByGpu counts;
  for (const auto& [gpu, provider] : met_) {
    if (counts.empty() || counts.back().first != gpu) counts.emplace_back(gpu, 0);
    ++counts.back().second;
  }
  met_.clear();
  return counts;
}

}  // namespace gpuplan
