#include "domain/market/offer_price.h"

#include <cmath>

namespace gpuplan {

Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot) {
  return price_today(spot ? *offer.spot_price : *offer.price, offer.price_doubt);
}

Interval<DollarsPerSecond> price_today(const Interval<DollarsPerSecond>& listed, double doubt) {
  if (doubt <= 0 || listed.p10 <= DollarsPerSecond{}) return listed;
  const double sigma = sigma_of(listed);
  return lognormal(listed.p50, std::sqrt(sigma * sigma + doubt * doubt));
}

}  // namespace gpuplan
