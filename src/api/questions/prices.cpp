#include "api/questions/prices.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/price_date.h"
#include "evidence/market/odd_prices.h"
#include "input/feeds/any_prices.h"

namespace gpuplan::api {
namespace {

constexpr std::string_view kOddPrices = "Prices far from what is usual: ";

/// Whether a lease pays that price: offers of a market are copies of those of the lists.
bool rents(const Lease& lease, const Offer& offer, const OddPrice& odd) {
  if (lease.offer == nullptr || lease.spot != odd.spot || lease.offer->gpus != offer.gpus) return false;
  for (const auto part : {&Offer::gpu, &Offer::provider, &Offer::region, &Offer::zone, &Offer::instance})
    if (lease.offer->*part != offer.*part) return false;
  return lease.offer->price == offer.price && lease.offer->spot_price == offer.spot_price;
}

}  // namespace

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

std::string odd_prices_told(const std::vector<Offer>& offers, const Catalogue& catalogue, const Plan* pick) {
  std::vector<OddPrice> odd = odd_prices(offers, catalogue.offers);
  if (odd.empty()) return "";
  const auto is_picked = [&](const OddPrice& one) {
    return pick != nullptr &&
           std::ranges::any_of(pick->leases, [&](const Lease& lease) { return rents(lease, offers[one.offer], one); });
  };
  sort_stably(odd, [&](const OddPrice& a, const OddPrice& b) { return is_picked(a) && !is_picked(b); });
  constexpr std::size_t kTold = 2;
  std::vector<std::string> parts;
  for (const OddPrice& one : odd) {
    if (parts.size() == kTold) break;
    const Offer& offer = offers[one.offer];
    const std::string whose = offer.provider.empty() ? "" : " at " + printable(offer.provider, 40);
    parts.push_back(std::to_string(offer.gpus) + "x " + offer.gpu + whose + " for " +
                    to_text((one.spot ? offer.spot_price : offer.price)->p50) + (one.spot ? " spot" : "") + ", usual " +
                    to_text(one.usual * offer.gpus) + (is_picked(one) ? " (the recommended one)" : ""));
  }
  const std::size_t more = odd.size() - parts.size();
  return std::string(kOddPrices) + join(parts, "; ") + (more > 0 ? "; " + std::to_string(more) + " more" : "") +
         ". Look at the list";
}

bool tells_odd_prices(std::string_view sentence) { return sentence.starts_with(kOddPrices); }

std::string old_files_told(const std::vector<NamedText>& lists, const std::vector<Offer>& offers,
                           const std::string& today, const AnswerConstants& constants) {
  if (std::ranges::any_of(offers, [](const Offer& offer) { return !offer.as_of.empty(); })) return "";
  const NamedText* oldest = nullptr;
  for (const NamedText& list : lists)
    if (!list.changed.empty() && (oldest == nullptr || list.changed < oldest->changed)) oldest = &list;
  if (oldest == nullptr || today.empty() || days_between(oldest->changed, today) <= constants.old_price_days) return "";
  return "Prices without a date, in a file of " + oldest->changed + " (" + printable(oldest->name, 60) +
         "): look them up before you rent";
}

}  // namespace gpuplan::api
