#include "plan/answer/offer_scatter.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/math.h"

namespace gpuplan {
namespace {

/// Logarithms of prices that would be one if nothing lay between them.
struct LikePrices {
  double sum = 0, squares = 0;
  int prices = 0;

  void add(double logarithm) {
    sum += logarithm;
    squares += logarithm * logarithm;
    ++prices;
  }
  double mean() const { return sum / prices; }
  /// Sum of squares off the mean.
  double off() const { return std::max(0.0, squares - sum * sum / prices); }
};

/// Provider and GPU.
using GpuAtProvider = std::pair<std::string_view, std::string_view>;
/// Instance, GPUs of it, region.
using OneRegion = std::tuple<std::string_view, int, std::string_view>;

struct LikeOffers {
  std::map<int, LikePrices> hosts;        ///< by GPUs of the machine
  std::map<OneRegion, LikePrices> zones;  ///< all of a place, with a zone or without
};

/// Pools groups: the mean of each is not known.
void pool_prices(const LikePrices& group, OwnScatter::Apart& apart) {
  if (group.prices < 2) return;
  const double before = apart.variance * apart.free;
  apart.free += group.prices - 1;
  apart.prices += group.prices;
  apart.variance = (before + group.off()) / apart.free;
}

OwnScatter& own_scatter_of(OwnScatters& scatters, const GpuAtProvider& kind, PriceTerms terms) {
  const auto found = std::ranges::find_if(scatters, [&](const OwnScatter& one) {
    return one.terms == terms && one.provider == kind.first && one.gpu == kind.second;
  });
  if (found != scatters.end()) return *found;
  OwnScatter& scatter = scatters.emplace_back();
  scatter.provider = kind.first;
  scatter.gpu = kind.second;
  scatter.terms = terms;
  return scatter;
}

void add_groups(const GpuAtProvider& kind, PriceTerms terms, const LikeOffers& groups, OwnScatters& scatters) {
  OwnScatter::Apart hosts, zones, regions;
  for (const auto& [gpus, group] : groups.hosts) pool_prices(group, hosts);
  std::map<std::pair<std::string_view, int>, LikePrices> by_instance;
  for (const auto& [place, group] : groups.zones) {
    pool_prices(group, zones);
    by_instance[{std::get<0>(place), std::get<1>(place)}].add(group.mean());
  }
  for (const auto& [instance, group] : by_instance) pool_prices(group, regions);
  if (hosts.free + zones.free + regions.free == 0) return;
  OwnScatter& scatter = own_scatter_of(scatters, kind, terms);
  scatter.of(SpreadOver::kHosts) = hosts;
  scatter.of(SpreadOver::kZones) = zones;
  scatter.of(SpreadOver::kRegions) = regions;
}

}  // namespace

void add_offer_scatter(const std::vector<Offer>& offers, OwnScatters& scatters) {
  for (const PriceTerms terms : {PriceTerms::kOnDemand, PriceTerms::kSpot}) {
    std::map<GpuAtProvider, LikeOffers> kinds;
    for (const Offer& offer : offers) {
      const auto& price = terms == PriceTerms::kSpot ? offer.spot_price : offer.price;
      if (offer.kind != OfferKind::kRented || !price || price->p50 <= DollarsPerSecond{}) continue;
      const bool host = is_single(offer);
      if (!host && (offer.instance.empty() || offer.region.empty())) continue;
      LikeOffers& groups = kinds[{offer.provider, offer.gpu}];
      const double logarithm = math::log(price->p50.value);
      if (host) groups.hosts[offer.gpus].add(logarithm);
      else groups.zones[{offer.instance, offer.gpus, offer.region}].add(logarithm);
    }
    for (const auto& [kind, groups] : kinds) add_groups(kind, terms, groups, scatters);
  }
}

}  // namespace gpuplan
