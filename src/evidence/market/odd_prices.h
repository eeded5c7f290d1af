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
/// First all offers are added, then they are judged. Memory does not grow with the number of offers: of a provider with
/// more than a thousand prices of a GPU in a month they count to three digits.
class PriceJudge {
 public:
  PriceJudge();
  ~PriceJudge();
  PriceJudge(PriceJudge&&) noexcept;

  /// `before`: it was known before the lists that are judged.
  void add(const Offer& offer, bool before);
  /// What is odd of an offer: nothing, one of its prices or both.
  std::vector<OddPrice> judge(const Offer& offer);

 private:
  struct Market;
  std::unique_ptr<Market> market_;
};

/// The odd prices among `offers`, in their order, where `known` was known before.
std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known);

}  // namespace gpuplan
