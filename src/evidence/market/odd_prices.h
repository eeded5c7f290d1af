// Prices held against the market: one that is eight or a hundred times that of its kind is a slip of its source (a
// price of one GPU taken for that of eight, cents for dollars), and would win or lose every comparison.
#pragma once

#include <cstddef>
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

/// Looks at each price of a GPU on demand and on spot among `offers`, less what clouds ask for the vCPUs beside it
/// where it is high. Usual is the median over providers of their median price of that GPU, those of `known` and of
/// `offers` from the year around the offer's date, where at least three providers have it; and what the same provider
/// asked in `known` before. Clouds ask up to seven times what marketplaces do, hosts let machines go for a fifth:
/// beyond these bounds a price is odd, unless another provider asks about as much, or the same one did before. What
/// else is in a list makes no price odd but by what it says of the market. Odd prices come in the order of the offers.
std::vector<OddPrice> odd_prices(const std::vector<Offer>& offers, const std::vector<Offer>& known);

}  // namespace gpuplan
