#include "domain/market/offer_price.h"

#include <cmath>

namespace gpuplan {

double whole(const PriceDoubt& doubt) {
  // One part alone to the last bit.
  if (doubt.age <= 0 || doubt.place <= 0) return doubt.age + doubt.place;
  return std::sqrt(doubt.age * doubt.age + doubt.place * doubt.place);
}

Interval<DollarsPerSecond> price_today(const Offer& offer, bool spot) {
  const Interval<DollarsPerSecond>& listed = spot ? *offer.spot_price : *offer.price;
  const PriceDoubt& doubt = doubt_of(offer, spot);
  if (!doubt.any() || listed.p10 <= DollarsPerSecond{}) return listed;
  const double sigma = sigma_of(listed), off = whole(doubt);
  return lognormal(listed.p50, std::sqrt(sigma * sigma + off * off));
}

}  // namespace gpuplan
