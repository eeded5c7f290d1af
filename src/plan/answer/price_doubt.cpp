#include "plan/answer/price_doubt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

/// A variance that is known as well as so much evidence tells, with the user's own.
double joined(double known, double weight, double own, double own_weight) {
  return own_weight > 0 ? (known * weight + own * own_weight) / (weight + own_weight) : known;
}

/// What the table says of each thing that prices differ over, by SpreadOver; 0: nothing.
std::array<double, 3> variances_of(const Offer& offer, PriceTerms terms, const Catalogue& catalogue) {
  std::array<double, 3> variances{};
  for (const PriceSpread& spread : catalogue.price_spreads)
    if (spread.terms == terms && iequals(spread.provider, offer.provider))
      variances[static_cast<std::size_t>(spread.over)] = spread.deviation * spread.deviation;
  return variances;
}

/// Calls `does(over, variance, own prices)`.
template <class Does>
void for_each_spread(const Offer& offer, bool spot, const Catalogue& catalogue, const OwnScatter* own, Does does) {
  const std::array known = variances_of(offer, spot ? PriceTerms::kSpot : PriceTerms::kOnDemand, catalogue);
  for (const SpreadOver over : {SpreadOver::kHosts, SpreadOver::kZones, SpreadOver::kRegions}) {
    // Who rents in a region stays there.
    if (over == SpreadOver::kRegions && !offer.region.empty()) continue;
    const double variance = known[static_cast<std::size_t>(over)];
    OwnScatter::Apart apart = own != nullptr ? own->of(over) : OwnScatter::Apart();
    // Machines of others than hosts do not go for a host's.
    if (over == SpreadOver::kHosts && variance <= 0 && !is_single(offer)) apart = {};
    const double told = joined(variance, catalogue.answer_constants.own_spread_prices, apart.variance, apart.free);
    if (told > 0) does(over, told, apart.free > 0 ? apart.prices : 0);
  }
}

}  // namespace

const OwnScatter* scatter_of(const OwnScatters& own, const Offer& offer, bool spot) {
  const auto key = [](const OwnScatter& one) { return std::tie(one.provider, one.gpu, one.terms); };
  const PriceTerms terms = spot ? PriceTerms::kSpot : PriceTerms::kOnDemand;
  const auto sought = std::tie(offer.provider, offer.gpu, terms);
  const auto found = std::ranges::lower_bound(own, sought, {}, key);
  return found != own.end() && key(*found) == sought ? &*found : nullptr;
}

PriceDoubt price_doubt(const Offer& offer, bool spot, const Catalogue& catalogue, std::string_view today,
                       const OwnScatters& own) {
  PriceDoubt doubt;
  const auto& listed = spot ? offer.spot_price : offer.price;
  if (!listed || offer.kind != OfferKind::kRented || offer.source == kJobSource) return doubt;
  const AnswerConstants& constants = catalogue.answer_constants;
  const OwnScatter* told = scatter_of(own, offer, spot);
  if (const int days = days_between(offer.as_of, today); days > 0) {
    const double drift = spot ? constants.price_drift_spot : constants.price_drift;
    const OwnScatter::Moves moves = told != nullptr ? told->moves : OwnScatter::Moves();
    const double variance = joined(drift * drift, constants.own_drift_months, moves.variance, moves.months);
    doubt.age = std::sqrt(variance * days / kDaysOfMonth);
  }
  double variance = 0;
  for_each_spread(offer, spot, catalogue, told, [&](SpreadOver, double one, int) { variance += one; });
  doubt.place = std::sqrt(variance);
  return doubt;
}

std::vector<OfferSpread> spreads_of(const Offer& offer, bool spot, const Catalogue& catalogue, const OwnScatters& own) {
  std::vector<OfferSpread> found;
  for_each_spread(
      offer, spot, catalogue, scatter_of(own, offer, spot),
      [&](SpreadOver over, double variance, int prices) { found.push_back({over, std::sqrt(variance), prices}); });
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
