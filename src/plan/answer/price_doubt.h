// What one will pay for an offer when one comes to rent it, beside what its list says today.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/market/offer.h"
#include "domain/market/own_scatter.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Of an offer that is rented and comes from no job. Its list ages: the logarithm of a price is taken for a random
/// walk. And the machine that it names may be gone, so that one rents another of its kind: prices lie apart by hosts,
/// zones and regions as the rows of Catalogue::price_spreads say. What no row speaks of has no such spread.
/// Where the user has stored prices of that GPU at that provider, they speak too, by how many they are: `own`, sorted
/// by provider, GPU and terms.
PriceDoubt price_doubt(const Offer& offer, bool spot, const Catalogue& catalogue, std::string_view today,
                       const OwnScatters& own = {});

/// What its price may differ over.
struct OfferSpread {
  SpreadOver over = SpreadOver::kHosts;
  double deviation = 0;
  int own_prices = 0;  ///< stored prices that it is told from
};
std::vector<OfferSpread> spreads_of(const Offer& offer, bool spot, const Catalogue& catalogue,
                                    const OwnScatters& own = {});

/// What stored prices tell of offers like this; null: nothing.
const OwnScatter* scatter_of(const OwnScatters& own, const Offer& offer, bool spot);

/// One thing that the price of a plan depends on, and how far the logarithm of its bill, what credits pay inside, moves
/// with one standard deviation of it.
struct PriceLoad {
  enum class Of {
    kStated,  ///< the range that the offer itself states
    kAge,     ///< one for all of a provider's lists
    kPlace    ///< hosts, zones or regions: one for each offer
  };
  Of of = Of::kStated;
  std::string name;  ///< plans whose loads have one name share it
  double load = 0;
  const Lease* lease = nullptr;  ///< the first that has it
};
/// Independent of each other; squares add up.
std::vector<PriceLoad> price_loads(const Plan& plan);

}  // namespace gpuplan
