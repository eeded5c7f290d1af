// Pages read gpuplan's own columns alone: what unpacks and recognises other people's lists is no part of them.
#include "input/feeds/any_prices.h"

namespace gpuplan {

Result<std::vector<Offer>> read_any_prices(std::string_view text, std::string_view file,
                                           const std::vector<CurrencyRate>& rates, const Catalogue& catalogue) {
  return read_prices(text, file, rates, catalogue);
}

}  // namespace gpuplan
