#include "plan/answer/price_doubt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

template <class Does>
void for_each_spread(const Offer& offer, bool spot, const Catalogue& catalogue, Does does) {
  const PriceTerms terms = spot ? PriceTerms::kSpot : PriceTerms::kOnDemand;
  for (const PriceSpread& spread : catalogue.price_spreads) {
    if (spread.terms != terms || !iequals(spread.provider, offer.provider)) continue;
    // Who rents in a region stays there.
    if (spread.over == SpreadOver::kRegions && !offer.region.empty()) continue;
    does(spread);
  }
}

}  // namespace

PriceDoubt price_doubt(const Offer& offer, bool spot, const Catalogue& catalogue, std::string_view today) {
  PriceDoubt doubt;
  const auto& listed = spot ? offer.spot_price : offer.price;
  if (!listed || offer.kind != OfferKind::kRented || offer.source == kJobSource) return doubt;
  constexpr double kDaysOfMonth = 365.25 / 12;
  const AnswerConstants& constants = catalogue.answer_constants;
  const double drift = spot ? constants.price_drift_spot : constants.price_drift;
  if (const int days = days_between(offer.as_of, today); days > 0) doubt.age = drift * std::sqrt(days / kDaysOfMonth);
  double variance = 0;
  for_each_spread(offer, spot, catalogue,
                  [&](const PriceSpread& spread) { variance += spread.deviation * spread.deviation; });
  doubt.place = std::sqrt(variance);
  return doubt;
}

std::vector<const PriceSpread*> spreads_of(const Offer& offer, bool spot, const Catalogue& catalogue) {
  std::vector<const PriceSpread*> found;
  for_each_spread(offer, spot, catalogue, [&](const PriceSpread& spread) { found.push_back(&spread); });
  return found;
}

std::vector<PriceLoad> price_loads(const Plan& plan) {
  std::vector<PriceLoad> loads;
  Dollars bill{};
  for (const Lease& lease : plan.leases) bill += lease.cost + lease.credits;
  for (const Lease& lease : plan.leases) {
    const Offer& offer = *lease.offer;
    const auto& listed = lease.spot ? offer.spot_price : offer.price;
    const double share = plan.cost.p50 > Dollars{} ? (lease.cost + lease.credits) / bill * lease.in_doubt : 0;
    if (!listed || listed->p10 <= DollarsPerSecond{} || share <= 0) continue;
    const std::string terms = lease.spot ? "spot" : "";
    const auto add = [&](PriceLoad::Of of, std::vector<std::string> words, double deviation) {
      if (deviation <= 0) return;
      std::string name = join(words, "/");
      const auto same = std::ranges::find(loads, name, &PriceLoad::name);
      if (same != loads.end()) same->load += share * deviation;
      else loads.push_back({of, std::move(name), share * deviation, &lease});
    };
    const PriceDoubt& doubt = lease.spot ? offer.spot_doubt : offer.price_doubt;
    const std::vector<std::string> place{
        offer.provider, offer.region, offer.zone, offer.instance, offer.gpu, std::to_string(offer.gpus), terms};
    std::vector<std::string> stated{"stated"}, elsewhere{"place"};
    stated.insert(stated.end(), place.begin(), place.end());
    elsewhere.insert(elsewhere.end(), place.begin(), place.end());
    add(PriceLoad::Of::kStated, std::move(stated), sigma_of(*listed));
    add(PriceLoad::Of::kAge, {"age", offer.provider, terms}, doubt.age);
    add(PriceLoad::Of::kPlace, std::move(elsewhere), doubt.place);
  }
  return loads;
}

}  // namespace gpuplan
