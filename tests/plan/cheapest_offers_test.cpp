// Of a large market the offers that a plan may want.
#include "plan/answer/cheapest_offers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuplan {
namespace {

Offer offer(const char* instance, double dollars, double spot_dollars = 0) {
  Offer one;
  one.provider = "a cloud";
  one.instance = instance;
  one.gpu = "H100 SXM";
  one.gpus = 8;
  if (dollars > 0) one.price = exactly(DollarsPerSecond{dollars});
  if (spot_dollars > 0) one.spot_price = exactly(DollarsPerSecond{spot_dollars});
  return one;
}

std::vector<int> kept(const std::vector<Offer>& offers, const Catalogue& catalogue = {}) {
  std::vector<const Offer*> market;
  for (const Offer& one : offers) market.push_back(&one);
  keep_cheapest(market, catalogue);
  std::vector<int> places;
  for (const Offer* one : market) places.push_back(static_cast<int>(one - offers.data()));
  return places;
}

TEST(CheapestOffers, TwoOfThoseThatDifferInPlaceAndPriceAlone) {
  std::vector<Offer> offers = {offer("m1", 4), offer("m2", 3), offer("m3", 2), offer("m4", 2), offer("m5", 2)};
  offers[0].region = "here";
  EXPECT_EQ(kept(offers), (std::vector{2, 3})) << "of equal ones those that come first, in their order";
}

TEST(CheapestOffers, OnDemandAndOnSpotEach) {
  EXPECT_EQ(kept({offer("m", 1, 9), offer("m", 2, 8), offer("m", 3, 1), offer("m", 4, 2), offer("m", 5, 7)}),
            (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(kept({offer("m", 0, 3), offer("m", 0, 2), offer("m", 0, 1), offer("m", 7)}), (std::vector{1, 2, 3}));
}

TEST(CheapestOffers, OtherTermsAreOtherOffers) {
  std::vector<Offer> offers(8, offer("m", 1));
  for (Offer& dearer : offers) dearer.price = exactly(DollarsPerSecond{2});
  offers[0].price = offers[1].price = exactly(DollarsPerSecond{1});
  offers[2].gpus = 4;
  offers[3].gpu = "H200 SXM";
  offers[4].provider = "another cloud";
  offers[5].ram = Bytes{1e12};
  offers[6].billing.increment = Seconds{3600};
  offers[7].stock = Stock::kHigh;
  EXPECT_EQ(kept(offers), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(CheapestOffers, NamesOfMachinesCountWhereTheCatalogueDescribesThem) {
  Catalogue catalogue;
  Node fast;
  fast.provider = "A Cloud";
  fast.instance = "fast.8";
  catalogue.nodes.push_back(fast);
  const std::vector<Offer> offers = {offer("m1", 1), offer("m2", 1), offer("m3", 9), offer("fast.8", 9), offer("", 9)};
  EXPECT_EQ(kept(offers, catalogue), (std::vector{0, 1, 3, 4}));
}

TEST(CheapestOffers, PoolsAndOwnBoxesStay) {
  std::vector<Offer> offers(5, offer("m", 1));
  offers[3].kind = OfferKind::kPool;
  offers[4].kind = OfferKind::kOwn;
  EXPECT_EQ(kept(offers), (std::vector{0, 1, 3, 4}));
}

}  // namespace
}  // namespace gpuplan
