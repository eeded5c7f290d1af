#include "domain/market/offer_price.h"

#include <cmath>

namespace gpuplan {

Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot) {
  return price_today(spot ? *offer.spot_price : *offer.price, doubt_of(offer, spot));
}

double whole(const PriceDoubt& doubt) {
  // One part alone to the last bit.
  if (doubt.age <= 0 || doubt.place <= 0) return doubt.age + doubt.place;
  return std::sqrt(doubt.age * doubt.age + doubt.place * doubt.place);
}

Interval<DollarsPerSecond> price_today(const Interval<DollarsPerSecond>& listed, const PriceDoubt& doubt) {
  return price_today(listed, whole(doubt));
}

Interval<DollarsPerSecond> price_today(const Interval<DollarsPerSecond>& listed, double doubt) {
  if (doubt <= 0 || listed.p10 <= DollarsPerSecond{}) return listed;
  const double sigma = sigma_of(listed);
  return lognormal(listed.p50, std::sqrt(sigma * sigma + doubt * doubt));
}

}  // namespace gpuplan
