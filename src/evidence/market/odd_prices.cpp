#include "evidence/market/odd_prices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

/// Of 637 list prices of 39 providers in 2026-10 the dearest, AWS's V100, asked 6.0 times the median over providers;
/// below a quarter stood placeholders and single hosts (data/README.md).
constexpr double kMostOfMarket = 7, kLeastOfMarket = 0.2;
/// The same provider's own prices of one GPU lie closer together, but for spot.
constexpr double kMostOfOwn = 5, kAsBefore = 2;
constexpr std::size_t kProviders = 3;
constexpr int kMonths = 12;

bool about_then(const Offer& one, const Offer& other) {
  const int a = months_of(one.as_of), b = months_of(other.as_of);
  return a == 0 || b == 0 || (a > b ? a - b : b - a) <= kMonths;
}

std::optional<double> per_gpu(const Offer& offer, bool spot) {
  const auto& price = spot ? offer.spot_price : offer.price;
  if (offer.kind != OfferKind::kRented || !price || price->p50 <= DollarsPerSecond{}) return std::nullopt;
  return price->p50.value / offer.gpus;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

using Kind = std::pair<std::string_view, bool>;                       // GPU, spot
using Seller = std::tuple<std::string_view, bool, std::string_view>;  // and provider

class Usual {
 public:
  Usual(const std::vector<Offer>& offers, const std::vector<Offer>& known) {
    std::map<Seller, std::vector<double>> all, before;
    const auto add = [](const Offer& offer, std::map<Seller, std::vector<double>>& to) {
      for (const bool spot : {false, true})
        if (const auto price = per_gpu(offer, spot)) to[{offer.gpu, spot, offer.provider}].push_back(*price);
    };
    if (offers.empty()) return;
    for (const Offer& offer : offers) add(offer, all);
    for (const Offer& offer : known) {
      if (!about_then(offer, offers.front())) continue;
      add(offer, all);
      add(offer, before);
    }
    std::map<Kind, std::vector<double>> providers;
    for (auto& [seller, prices] : all) providers[{std::get<0>(seller), std::get<1>(seller)}].push_back(median(prices));
    for (auto& [kind, prices] : providers)
      if (prices.size() >= kProviders) market_.emplace(kind, median(prices));
    for (auto& [seller, prices] : before) own_.emplace(seller, median(prices));
  }

  std::optional<double> market(const Offer& offer, bool spot) const {
    const auto found = market_.find({offer.gpu, spot});
    return found == market_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<double> own(const Offer& offer, bool spot) const {
    const auto found = own_.find({offer.gpu, spot, offer.provider});
    return found == own_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<Kind, double> market_;
  std::map<Seller, double> own_;
};

}  // namespace

std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known) {
  const Usual usual(offers, known);
  std::vector<OddPrice> odd;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (const bool spot : {false, true}) {
      const auto price = per_gpu(offers[i], spot);
      if (!price) continue;
      const auto market = usual.market(offers[i], spot);
      const auto own = usual.own(offers[i], spot);
      // Who always asked so goes on asking so.
      if (own && *price < *own * kAsBefore && *price > *own / kAsBefore) continue;
      if (market && (*price > *market * kMostOfMarket || *price < *market * kLeastOfMarket))
        odd.push_back({i, spot, *price / *market, DollarsPerSecond{*market}, false});
      else if (own && !spot && (*price > *own * kMostOfOwn || *price < *own / kMostOfOwn))
        odd.push_back({i, spot, *price / *own, DollarsPerSecond{*own}, true});
    }
  return odd;
}

}  // namespace gpuplan
