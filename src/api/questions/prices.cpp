#include "api/questions/prices.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "input/feeds/any_prices.h"

namespace gpuplan::api {

Result<std::vector<Offer>> read_price_lists(const std::vector<NamedText>& lists, const std::vector<std::string>& rates,
                                            const Catalogue& catalogue) {
  std::vector<CurrencyRate> known;
  for (const std::string& text : rates) {
    auto rate = parse_rate(text);
    if (!rate) return std::unexpected(rate.error());
    known.push_back(*std::move(rate));
  }
  std::vector<Offer> offers;
  for (const NamedText& list : lists) {
    auto some = read_any_prices(list.text, list.name, known, catalogue);
    if (!some) return std::unexpected(some.error());
    if (offers.empty()) offers = *std::move(some);
    else std::ranges::move(*some, std::back_inserter(offers));
  }
  return offers;
}

}  // namespace gpuplan::api
