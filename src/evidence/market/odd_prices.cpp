#include "evidence/market/odd_prices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

/// Of 637 list prices of 39 providers in 2026-10 the dearest, AWS's V100, asked 6.0 times the median over providers;
/// below a quarter stood placeholders and single hosts (data/README.md). Of the 1,475 prices in data/offers.csv, those
/// of one provider at a time as a list that is new to the market of the others, these bounds and those below take one
/// for odd, as seven for every GPU did; of the same prices times eight, one at a time, they find 87% (43%).
constexpr double kLeastLimit = 4, kMostLimit = 6, kDeviations = 3, kLeastOfMarket = 0.2;
/// Clouds still ask what they asked for a GPU when it was new, long after marketplaces have let it go for a tenth: what
/// somebody else asks about as much for is no slip.
constexpr double kBeyondAll = 1.25;
/// A machine at the price of one of its GPUs, or one GPU at that of a machine, is eight times off: nearer to the market
/// once that is put right where it is further than the square root of eight from it. So far, and this far beyond
/// everybody, none of the prices in data/offers.csv lies that a list new to the market of the others would have.
constexpr double kAsSlip = 3.3, kFarBeyondAll = 1.6;
constexpr int kMachine = 4;  ///< GPUs of which the price may be that of one
/// Of one or two providers nobody knows what is usual; a hundred times what they ask is none of it.
constexpr double kOfFew = 10;
/// The same provider's own prices of one GPU lie closer together, but for spot: of those in data/offers.csv none is
/// four times or a quarter of their median.
constexpr double kMostOfBefore = 5, kMostOfOwn = 4, kAsBefore = 2;
/// Of those that ask less for spot; some ask as much.
constexpr double kMostOfOnDemand = 2;
constexpr std::size_t kProviders = 3;
constexpr int kMonths = 12;
/// What clouds ask for a vCPU with its memory an hour (AWS m7i.large, two of them, $0.1008; aws.amazon.com/ec2/pricing,
/// 2026-10): a machine of one old GPU may have 64.
constexpr DollarsPerSecond kOfVcpu = 0.05 * units::dollar / units::hour;

bool about_then(int month, int other) {
  return month == 0 || other == 0 || (month > other ? month - other : other - month) <= kMonths;
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

struct Counted {
  double price = 0;
  std::uint64_t count = 0;
};

/// Many prices, those that are alike in their first ten bits as one.
class Prices {
 public:
  void add(double price) {
    recent_.push_back(price);
    constexpr std::size_t kWhole = 1024;
    if (recent_.size() >= kWhole) fold();
  }
  void put_into(std::vector<Counted>& all) const {
    all.insert(all.end(), folded_.begin(), folded_.end());
    for (const double price : recent_) all.push_back({price, 1});
  }

 private:
  void fold() {
    constexpr std::uint64_t kFirstBits = ~((std::uint64_t{1} << 42U) - 1);
    for (const double price : recent_)
      folded_.push_back({std::bit_cast<double>(std::bit_cast<std::uint64_t>(price) & kFirstBits), 1});
    recent_.clear();
    std::ranges::sort(folded_, {}, &Counted::price);
    std::size_t to = 0;
    for (std::size_t i = 0; i < folded_.size(); ++i) {
      if (to > 0 && folded_[to - 1].price == folded_[i].price) folded_[to - 1].count += folded_[i].count;
      else folded_[to++] = folded_[i];
    }
    folded_.resize(to);
  }

  std::vector<double> recent_;
  std::vector<Counted> folded_;
};

/// What one provider asks for a GPU in one month.
struct Asked {
  Prices known, others;        ///< that count for the market of others, and that do not yet
  double least = 0, most = 0;  ///< of those of before; 0: none

  void add(double price, PriceStanding standing) {
    (standing == PriceStanding::kKnown ? known : others).add(price);
    if (standing == PriceStanding::kNew) return;
    least = least > 0 ? std::min(least, price) : price;
    most = std::max(most, price);
  }
};

/// Where the middle of a provider's prices of one kind lies.
struct Middle {
  std::uint64_t prices = 0;
  double low = 0, high = 0;  ///< the one or two in the middle
};

Middle own_middle(std::vector<Counted>& all) {
  std::ranges::sort(all, {}, &Counted::price);
  Middle middle;
  for (const Counted& one : all) middle.prices += one.count;
  std::uint64_t passed = 0;
  for (const Counted& one : all) {
    if (passed <= (middle.prices - 1) / 2) middle.low = one.price;
    if (passed <= middle.prices / 2) middle.high = one.price;
    passed += one.count;
  }
  return middle;
}

using Kind = std::pair<std::string_view, bool>;                          // GPU, spot
using OneOfKind = std::tuple<std::string_view, bool, std::string_view>;  // and provider

/// The middle of a provider's prices: of those that were known, and of all with those that are new.
struct Seller {
  Middle known, all;
};

/// What one kind goes for at those who have it.
struct KindMarket {
  std::map<std::string_view, Seller> sellers;
  std::size_t known = 0;      ///< sellers of before
  bool is_known = false;      ///< these are a market: who is new does not count
  double usual = 0;           ///< median over their medians
  double limit = kMostLimit;  ///< how many times that a price may be

  bool is_many() const { return is_known || sellers.size() >= kProviders; }
  bool counts(const Seller& seller) const { return !is_known || seller.known.prices > 0; }
  double middle_of(const Seller& seller) const { return is_known ? seller.known.low : seller.all.low; }

  void settle() {
    known = static_cast<std::size_t>(
        std::ranges::count_if(sellers, [](const auto& one) { return one.second.known.prices > 0; }));
    is_known = known >= kProviders;
    std::vector<double> medians, apart;
    for (const auto& seller : sellers)
      if (counts(seller.second)) medians.push_back(middle_of(seller.second));
    usual = median(medians);
    for (const double one : medians) apart.push_back(std::abs(std::log(one / usual)));
    constexpr double kOfNormal = 1.4826;  // a deviation over the median distance
    limit = std::clamp(std::exp(kDeviations * kOfNormal * median(apart)), kLeastLimit, kMostLimit);
  }

  /// Whether nobody but `seller` asks about as much: `times` more or less at the most.
  bool is_beyond(double price, std::string_view seller, double times) const {
    return std::ranges::none_of(sellers, [&](const auto& other) {
      if (other.first == seller || !counts(other.second)) return false;
      const double its = middle_of(other.second);
      return price > usual ? price < its * times : price * times > its;
    });
  }

  /// What a price is told beside.
  double beside() const {
    if (is_many() || known == 0) return usual;
    return std::ranges::find_if(sellers, [](const auto& one) { return one.second.known.prices > 0; })->second.known.low;
  }

  bool is_odd(double price, double bare, const Offer& offer) const {
    if (!is_many()) {
      // All that are known ask something else by far.
      return known > 0 && std::ranges::none_of(sellers, [&](const auto& one) {
               const double its = one.second.known.low;
               return one.second.known.prices > 0 && bare < its * kOfFew && price * kOfFew > its;
             });
    }
    const double at = price > usual ? bare : price;
    if ((bare > usual * limit || price < usual * kLeastOfMarket) && is_beyond(at, offer.provider, kBeyondAll))
      return true;
    const bool slip = offer.gpus == 1 ? bare > usual * kAsSlip : offer.gpus >= kMachine && price * kAsSlip < usual;
    return slip && is_beyond(at, offer.provider, kFarBeyondAll);
  }
};

/// What is usual about one month.
struct Usual {
  std::map<Kind, KindMarket> markets;
  std::map<OneOfKind, std::pair<double, double>> own;  ///< the least and the most that the same provider asked before

  /// Null: nobody has it.
  const KindMarket* market(std::string_view gpu, bool spot) const {
    const auto found = markets.find({gpu, spot});
    return found == markets.end() ? nullptr : &found->second;
  }
};

/// What a provider's price of a GPU is held against among its own prices; 0: nothing tells. Of two that contradict each
/// other the one further from the market is odd.
double own_gauge(const Middle& own, double price, double market) {
  if (own.prices > 2) return own.low;
  if (own.prices < 2 || market <= 0) return 0;
  const double other = price > own.low ? own.low : own.high;
  return std::abs(std::log(price / market)) > std::abs(std::log(other / market)) ? other : 0;
}

/// A price that is odd, but for its place in the list.
std::optional<OddPrice> oddity(const Offer& offer, bool spot, double price, const Usual& usual) {
  const auto before = usual.own.find({offer.gpu, spot, offer.provider});
  const bool known = before != usual.own.end();
  // Who always asked so goes on asking so.
  if (known && price < before->second.second * kAsBefore && price > before->second.first / kAsBefore)
    return std::nullopt;
  const double bare = std::max(price - kOfVcpu.value * offer.vcpus / offer.gpus, 0.0);
  const auto told = [&](PriceGauge gauge, double of) {
    return OddPrice{0, spot, price / of, DollarsPerSecond{of}, gauge};
  };
  const KindMarket* market = usual.market(offer.gpu, spot);
  if (market == nullptr) return std::nullopt;
  if (market->is_odd(price, bare, offer)) return told(PriceGauge::kOthers, market->beside());
  if (spot) {
    const KindMarket* on_demand = usual.market(offer.gpu, false);
    if (on_demand == nullptr) return std::nullopt;
    const auto own = on_demand->sellers.find(offer.provider);
    if (own == on_demand->sellers.end() || price <= own->second.all.high * kMostOfOnDemand) return std::nullopt;
    return told(PriceGauge::kOnDemand, own->second.all.low);
  }
  if (known) {
    const auto [least, most] = before->second;
    if (bare > most * kMostOfBefore) return told(PriceGauge::kBefore, most);
    if (price < least / kMostOfBefore) return told(PriceGauge::kBefore, least);
  }
  const auto its = market->sellers.find(offer.provider);
  if (its == market->sellers.end()) return std::nullopt;
  const double own = own_gauge(its->second.all, price, market->is_many() ? market->usual : 0);
  if (own > 0 && (bare > own * kMostOfOwn || price < own / kMostOfOwn)) return told(PriceGauge::kOwn, own);
  return std::nullopt;
}

}  // namespace

struct PriceJudge::Market {
  std::map<OneOfKind, std::map<int, Asked>> sellers;
  std::set<std::string, std::less<>> names;  ///< that sellers look at
  std::map<int, Usual> usual;                ///< by month, as far as asked for

  std::string_view kept(std::string_view name) {
    const auto found = names.find(name);
    return found != names.end() ? *found : *names.emplace(name).first;
  }
  const Usual& usual_about(int month);
};

const Usual& PriceJudge::Market::usual_about(int month) {
  const auto [known, is_new] = usual.try_emplace(month);
  Usual& all = known->second;
  if (!is_new) return all;
  std::vector<Counted> prices;
  for (const auto& [seller, months] : sellers) {
    prices.clear();
    Seller middle;
    double least = 0, most = 0;
    for (const auto& [one, asked] : months) {
      if (!about_then(month, one)) continue;
      asked.known.put_into(prices);
      if (asked.least > 0) least = least > 0 ? std::min(least, asked.least) : asked.least;
      most = std::max(most, asked.most);
    }
    middle.known = own_middle(prices);
    for (const auto& [one, asked] : months)
      if (about_then(month, one)) asked.others.put_into(prices);
    if (prices.empty()) continue;
    middle.all = own_middle(prices);
    const auto& [gpu, spot, provider] = seller;
    all.markets[{gpu, spot}].sellers.emplace(provider, middle);
    if (least > 0) all.own.emplace(seller, std::pair(least, most));
  }
  for (auto& market : all.markets) market.second.settle();
  return all;
}

PriceJudge::PriceJudge() : market_(std::make_unique<Market>()) {}
PriceJudge::~PriceJudge() = default;
PriceJudge::PriceJudge(PriceJudge&&) noexcept = default;

void PriceJudge::add(const Offer& offer, PriceStanding standing, PriceStanding spot_standing) {
  market_->usual.clear();
  for (const bool spot : {false, true}) {
    const auto price = per_gpu(offer, spot);
    if (!price) continue;
    auto seller = market_->sellers.find(OneOfKind(offer.gpu, spot, offer.provider));
    if (seller == market_->sellers.end()) {
      const OneOfKind view(market_->kept(offer.gpu), spot, market_->kept(offer.provider));
      seller = market_->sellers.try_emplace(view).first;
    }
    seller->second[months_of(offer.as_of)].add(*price, spot ? spot_standing : standing);
  }
}

void PriceJudge::add_known(const std::vector<Offer>& offers) {
  for (const Offer& offer : offers) add(offer, PriceStanding::kKnown);
}

void PriceJudge::add_stored(const std::vector<Offer>& offers) {
  std::vector<std::pair<PriceStanding, PriceStanding>> standings(offers.size(),
                                                                 {PriceStanding::kKnown, PriceStanding::kKnown});
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (const OddPrice& odd : judge(offers[i]))
      (odd.spot ? standings[i].second : standings[i].first) = PriceStanding::kKept;
  for (std::size_t i = 0; i < offers.size(); ++i) add(offers[i], standings[i].first, standings[i].second);
}

std::vector<OddPrice> PriceJudge::judge(const Offer& offer) {
  std::vector<OddPrice> odd;
  for (const bool spot : {false, true})
    if (const auto price = per_gpu(offer, spot))
      if (const auto found = oddity(offer, spot, *price, market_->usual_about(months_of(offer.as_of))))
        odd.push_back(*found);
  return odd;
}

std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known) {
  PriceJudge judge;
  judge.add_known(known);
  for (const Offer& offer : offers) judge.add(offer, PriceStanding::kNew);
  std::vector<OddPrice> odd;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (OddPrice& one : judge.judge(offers[i])) {
      one.offer = i;
      odd.push_back(one);
    }
  return odd;
}

}  // namespace gpuplan
