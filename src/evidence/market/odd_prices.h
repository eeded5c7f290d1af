// Prices held against the market: one that is eight or a hundred times that of its kind is a slip of its source (a
// price of one GPU taken for that of eight, cents for dollars), and would win or lose every comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// What a price is held against.
enum class PriceGauge : std::uint8_t {
  kOthers,    ///< the median over the providers of that GPU
  kBefore,    ///< what the same provider asked before
  kOwn,       ///< the median of the same provider's prices of that GPU
  kOnDemand,  ///< a spot price: what the same provider asks on demand
};

/// What a price counts for when others are judged.
enum class PriceStanding : std::uint8_t {
  kKnown,  ///< of before: it tells what is usual
  kKept,   ///< of before, though it is odd itself: it tells what its provider asks, and vouches for nobody else
  kNew,    ///< comes with the lists that are judged: the same slip may be in all of them
};

/// A price that nobody else asks.
struct OddPrice {
  std::size_t offer = 0;     ///< its place in the list
  bool spot = false;         ///< which price of it
  double times = 1;          ///< the price of a GPU over the usual one
  DollarsPerSecond usual{};  ///< of one GPU
  PriceGauge gauge = PriceGauge::kOthers;
};

/// Looks at the price of a GPU on demand and on spot, less what clouds ask for the vCPUs beside it where it is high.
/// Usual is the median over providers of their median price of that GPU, those from the year around the offer's date,
/// where at least three providers have it. How far above it a price is odd is told by how far the providers of that GPU
/// lie apart: three deviations of the logarithms of their medians (1.4826 times the median distance from the median:
/// Hampel 1974, doi:10.1080/01621459.1974.10482962), at least four times and at most six; below, a fifth. It is none
/// where another provider asks about as much, or the same one did before. Nor is a price usual that is far from the
/// same provider's other prices of that GPU, before or in the same lists, or on spot far above what it asks on demand.
/// Where three providers or more are known from before, these alone tell what is usual: new ones do not outvote them. A
/// price of a machine that would be usual for one of its GPUs, or of one GPU for a machine, is odd from 3.3 times the
/// usual one on where it is 1.6 times beyond everybody. Of fewer providers that are known, ten times what each asks is.
/// First all offers are added, then they are judged. Memory does not grow with the number of offers: of a provider with
/// more than a thousand prices of a GPU in a month they count to three digits.
class PriceJudge {
 public:
  PriceJudge();
  ~PriceJudge();
  PriceJudge(PriceJudge&&) noexcept;

  void add(const Offer& offer, PriceStanding standing) { add(offer, standing, standing); }
  /// What is known from before.
  void add_known(const std::vector<Offer>& offers);
  /// What was imported before, some of it against advice: what is odd beside all that was added does not vouch.
  void add_stored(const std::vector<Offer>& offers);
  /// What is odd of an offer: nothing, one of its prices or both.
  std::vector<OddPrice> judge(const Offer& offer);

 private:
  void add(const Offer& offer, PriceStanding standing, PriceStanding spot_standing);

  struct Market;
  std::unique_ptr<Market> market_;
};

/// The odd prices among `offers`, in their order, where `known` was known before.
std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known);

}  // namespace gpuplan
