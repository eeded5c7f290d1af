// How far offers of one kind lie apart.
#include "plan/answer/offer_scatter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpuplan {
namespace {

Offer offer_of(const std::string& region, const std::string& zone, double price, bool host = false) {
  Offer offer;
  offer.provider = "cloud";
  offer.gpu = "L4";
  offer.instance = host ? "" : "g2";
  offer.region = region;
  offer.zone = zone;
  offer.price = exactly(price * units::dollar / units::hour);
  if (host) offer.availability = "single machine";
  return offer;
}

TEST(OfferScatter, IsPooledWithinWhatIsAlike) {
  const double e = std::exp(1.0);
  OwnScatters scatters;
  add_offer_scatter({offer_of("a", "1", 1), offer_of("a", "2", e), offer_of("b", "1", e), offer_of("b", "2", e * e)},
                    scatters);
  ASSERT_EQ(scatters.size(), 1U);
  const OwnScatter::Apart zones = scatters[0].of(SpreadOver::kZones), regions = scatters[0].of(SpreadOver::kRegions);
  EXPECT_EQ(zones.free, 2);
  EXPECT_EQ(zones.prices, 4);
  EXPECT_NEAR(zones.variance, 0.5, 1e-12) << "half a step to either side of the mean, two of each, one mean each";
  EXPECT_EQ(regions.free, 1);
  EXPECT_NEAR(regions.variance, 0.5, 1e-12) << "means lie one step apart";
  EXPECT_EQ(scatters[0].of(SpreadOver::kHosts).free, 0);
}

TEST(OfferScatter, HostsAreHeldAgainstEachOther) {
  OwnScatters scatters;
  add_offer_scatter({offer_of("DE", "", 1, true), offer_of("US", "", std::exp(2.0), true)}, scatters);
  ASSERT_EQ(scatters.size(), 1U);
  EXPECT_NEAR(scatters[0].of(SpreadOver::kHosts).variance, 2, 1e-12);
  EXPECT_EQ(scatters[0].of(SpreadOver::kRegions).free, 0);
}

TEST(OfferScatter, OneOfAKindTellsNothing) {
  OwnScatters scatters;
  add_offer_scatter({offer_of("a", "", 1)}, scatters);
  EXPECT_TRUE(scatters.empty());
}

}  // namespace
}  // namespace gpuplan
