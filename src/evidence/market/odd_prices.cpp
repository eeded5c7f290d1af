#include "evidence/market/odd_prices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/sorting.h"
#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

/// Of 637 list prices of 39 providers in 2026-10 the dearest, AWS's V100, asked 6.0 times the median over providers;
/// below a quarter stood placeholders and single hosts (data/README.md).
constexpr double kMostOfMarket = 7, kLeastOfMarket = 0.2;
/// Clouds still ask what they asked for a GPU when it was new, long after marketplaces have let it go for a tenth: what
/// somebody else asks about as much for is no slip.
constexpr double kBeyondAll = 1.5;
/// The same provider's own prices of one GPU lie closer together, but for spot.
constexpr double kMostOfOwn = 5, kAsBefore = 2;
constexpr std::size_t kProviders = 3;
constexpr int kMonths = 12;
/// What clouds ask for a vCPU with its memory an hour (AWS m7i.large, two of them, $0.1008; aws.amazon.com/ec2/pricing,
/// 2026-10): a machine of one old GPU may have 64.
constexpr DollarsPerSecond kOfVcpu = 0.05 * units::dollar / units::hour;

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

/// What one kind goes for at those who have it: the median of each.
struct Market {
  std::map<std::string_view, double> sellers;
  double usual = 0;  ///< median over them

  /// Whether nobody but `seller` asks about as much.
  bool is_beyond(double price, std::string_view seller) const {
    return std::ranges::none_of(sellers, [&](const auto& other) {
      if (other.first == seller) return false;
      return price > usual ? price < other.second * kBeyondAll : price * kBeyondAll > other.second;
    });
  }
};

/// What is usual about one month.
class Usual {
 public:
  /// `about`: an offer of that month.
  Usual(const std::vector<Offer>& offers, const std::vector<Offer>& known, const Offer& about) {
    std::map<Seller, std::vector<double>> all, before;
    const auto add = [&](const Offer& offer, std::map<Seller, std::vector<double>>& to) {
      for (const bool spot : {false, true})
        if (const auto price = per_gpu(offer, spot)) to[{offer.gpu, spot, offer.provider}].push_back(*price);
    };
    for (const Offer& offer : offers)
      if (about_then(offer, about)) add(offer, all);
    for (const Offer& offer : known) {
      if (!about_then(offer, about)) continue;
      add(offer, all);
      add(offer, before);
    }
    for (auto& [seller, prices] : all)
      markets_[{std::get<0>(seller), std::get<1>(seller)}].sellers.emplace(std::get<2>(seller), median(prices));
    for (auto& [kind, market] : markets_) {
      std::vector<double> medians;
      for (const auto& seller : market.sellers) medians.push_back(seller.second);
      market.usual = median(medians);
    }
    for (auto& [seller, prices] : before) {
      const auto [least, most] = std::ranges::minmax(prices);
      own_.emplace(seller, std::pair(least, most));
    }
  }

  /// Null: too few have it.
  const Market* market(const Offer& offer, bool spot) const {
    const auto found = markets_.find({offer.gpu, spot});
    return found == markets_.end() || found->second.sellers.size() < kProviders ? nullptr : &found->second;
  }
  /// The least and the most that the same provider asked before.
  std::optional<std::pair<double, double>> own(const Offer& offer, bool spot) const {
    const auto found = own_.find({offer.gpu, spot, offer.provider});
    return found == own_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<Kind, Market> markets_;
  std::map<Seller, std::pair<double, double>> own_;
};

/// A price that is odd, but for its place in the list.
std::optional<OddPrice> oddity(const Offer& offer, bool spot, double price, const Usual& usual) {
  const auto own = usual.own(offer, spot);
  // Who always asked so goes on asking so.
  if (own && price < own->second * kAsBefore && price > own->first / kAsBefore) return std::nullopt;
  const double bare = std::max(price - kOfVcpu.value * offer.vcpus / offer.gpus, 0.0);
  if (const Market* market = usual.market(offer, spot);
      market != nullptr && (bare > market->usual * kMostOfMarket || price < market->usual * kLeastOfMarket) &&
      market->is_beyond(price > market->usual ? bare : price, offer.provider))
    return OddPrice{0, spot, price / market->usual, DollarsPerSecond{market->usual}, false};
  if (!own || spot) return std::nullopt;
  const auto [least, most] = *own;
  if (bare > most * kMostOfOwn) return OddPrice{0, spot, price / most, DollarsPerSecond{most}, true};
  if (price < least / kMostOfOwn) return OddPrice{0, spot, price / least, DollarsPerSecond{least}, true};
  return std::nullopt;
}

}  // namespace

std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known) {
  std::map<int, std::vector<std::size_t>> months;
  for (std::size_t i = 0; i < offers.size(); ++i) months[months_of(offers[i].as_of)].push_back(i);
  std::vector<OddPrice> odd;
  for (const auto& month : months) {
    const Usual usual(offers, known, offers[month.second.front()]);
    for (const std::size_t i : month.second)
      for (const bool spot : {false, true})
        if (const auto price = per_gpu(offers[i], spot))
          if (auto found = oddity(offers[i], spot, *price, usual)) {
            found->offer = i;
            odd.push_back(*found);
          }
  }
  sort_stably(odd, {}, &OddPrice::offer);
  return odd;
}

}  // namespace gpuplan
