#include "domain/market/offer_price.h"

#include <cmath>

namespace gpuplan {

Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot) {
  const Interval<DollarsPerSecond>& listed = spot ? *offer.spot_price : *offer.price;
  if (offer.price_doubt <= 0 || listed.p10 <= DollarsPerSecond{}) return listed;
  const double sigma = sigma_of(listed);
  return lognormal(listed.p50, std::sqrt(sigma * sigma + offer.price_doubt * offer.price_doubt));
}

}  // namespace gpuplan
