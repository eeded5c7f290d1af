#include "evidence/validation/left_out.h"

namespace gpuplan {

LeftOut::LeftOut(const Catalogue& catalogue, const std::vector<LeftOutValue>& values) : catalogue_(&catalogue) {
  for (const LeftOutValue& value : values) {
    auto [at, fresh] = by_source_.try_emplace(value.source);
    if (fresh) at->second = catalogue;
    if (double* number = fitted_value(at->second, value.address)) *number = value.value;
  }
}

const Catalogue& LeftOut::catalogue_for(std::string_view source) const {
  const auto at = by_source_.find(source);
  return at != by_source_.end() ? at->second : *catalogue_;
}

}  // namespace gpuplan
