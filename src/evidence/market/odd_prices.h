// Prices held against the market: one that is eight or a hundred times that of its kind is a slip of its source (a
// price of one GPU taken for that of eight, cents for dollars), and would win or lose every comparison.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "domain/market/offer.h"

namespace gpuplan {

/// A price that nobody else asks.
struct OddPrice {
  std::size_t offer = 0;     ///< its place in the list
  bool spot = false;         ///< which price of it
  double times = 1;          ///< the price of a GPU over the usual one
  DollarsPerSecond usual{};  ///< of one GPU
  bool own = false;          ///< the usual one is what the same provider asked before, else the median of providers
};

/// Looks at the price of a GPU on demand and on spot, less what clouds ask for the vCPUs beside it where it is high.
/// Usual is the median over providers of their median price of that GPU, those from the year around the offer's date,
/// where at least three providers have it; and what the same provider asked before. Clouds ask up to seven times what
/// marketplaces do, hosts let machines go for a fifth: beyond these bounds a price is odd, unless another provider asks
/// about as much, or the same one did before. What else is in a list makes no price odd but by what it says of the
/// market. First all offers are added, then they are judged. Memory does not grow with the number of offers: of a
/// provider with more than a thousand prices of a GPU in a month they count to three digits.
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
