// Prices that nobody else asks, and those that somebody does.
#include "evidence/market/odd_prices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuplan {
namespace {

Offer offer(const std::string& provider, double dollars, int gpus = 1, const std::string& as_of = "2026-10") {
  Offer result;
  result.provider = provider;
  result.gpu = "H100 SXM";
  result.gpus = gpus;
  result.price = exactly(DollarsPerSecond{dollars / 3600});
  result.as_of = as_of;
  return result;
}

const std::vector<Offer>& known() {
  static const std::vector<Offer> offers = {offer("a", 2), offer("b", 3), offer("c", 4), offer("dear", 11)};
  return offers;
}

TEST(OddPrices, APriceOfEightTakenForOneAndOneForEight) {
  // The median of 2, 3, 4 and 11 (the lower of the two in the middle) is 3, with 24 of the new provider 4.
  const auto odd = odd_prices({offer("new", 24, 8), offer("new", 3.1, 8), offer("other", 30.0, 1)}, known());
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].offer, 1u);
  EXPECT_LT(odd[0].times, 0.2);
  EXPECT_EQ(odd[1].offer, 2u);
  EXPECT_GT(odd[1].times, 7);
}

TEST(OddPrices, CloudsMayBeDear) {
  EXPECT_TRUE(odd_prices({offer("cloud", 12.3)}, known()).empty());
  EXPECT_TRUE(odd_prices({offer("host", 1.0)}, known()).empty());
}

TEST(OddPrices, AProviderIsHeldAgainstItsOwn) {
  // Within what the market allows (4 x 7), six times what it asked before.
  const auto odd = odd_prices({offer("a", 12.5)}, known());
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_TRUE(odd[0].own);
  EXPECT_NEAR(odd[0].times, 6.25, 1e-9);
}

TEST(OddPrices, WhoAlwaysAskedSoMay) {
  std::vector<Offer> before = known();
  before.push_back(offer("cloud", 25));
  EXPECT_TRUE(odd_prices({offer("cloud", 30)}, before).empty());
  EXPECT_EQ(odd_prices({offer("other", 40)}, before).size(), 1u);
}

TEST(OddPrices, WhatAnotherAsksTooIsNoSlip) {
  // Clouds and an old GPU that marketplaces let go for a thirteenth.
  const std::vector<Offer> old = {offer("host a", 0.2), offer("host b", 0.23), offer("host c", 0.3),
                                  offer("cloud", 3.06)};
  EXPECT_TRUE(odd_prices({offer("second cloud", 2.95)}, old).empty());
  EXPECT_TRUE(odd_prices({offer("second cloud", 2.95), offer("third cloud", 3.4)}, old).empty());
  EXPECT_EQ(odd_prices({offer("second cloud", 23.6)}, old).size(), 1u) << "of eight GPUs";
  EXPECT_EQ(odd_prices({offer("host d", 0.23 / 8)}, old).size(), 1u);
}

TEST(OddPrices, ManyCoresAreNoOddity) {
  std::vector<Offer> cheap = known();
  for (Offer& one : cheap) one.price = *one.price * 0.2;  // $0.40 to $2.20 a GPU
  Offer roomy = offer("new", 5.8);
  EXPECT_EQ(odd_prices({roomy}, cheap).size(), 1u);
  roomy.vcpus = 64;
  EXPECT_TRUE(odd_prices({roomy}, cheap).empty());
}

TEST(OddPrices, EachIsHeldAgainstItsOwnTime) {
  const auto odd = odd_prices({offer("new", 30, 1, "2022-12"), offer("new", 30, 1, "2026-11")}, known());
  ASSERT_EQ(odd.size(), 1u) << "the market of 2022 is not known";
  EXPECT_EQ(odd.front().offer, 1u);
}

TEST(OddPrices, TwoProvidersAreNoMarket) {
  EXPECT_TRUE(odd_prices({offer("new", 100)}, {offer("a", 2)}).empty());
  // And prices of other years are none of today.
  std::vector<Offer> old = known();
  for (Offer& one : old) one.as_of = "2022-12";
  EXPECT_TRUE(odd_prices({offer("new", 100)}, old).empty());
}

TEST(OddPrices, SpotIsHeldAgainstSpot) {
  std::vector<Offer> spots = known();
  for (Offer& one : spots) one.spot_price = exactly(one.price->p50 * 0.3);
  Offer fresh = offer("new", 3);
  fresh.spot_price = exactly(DollarsPerSecond{0.01 / 3600});
  const auto odd = odd_prices({fresh}, spots);
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_TRUE(odd[0].spot);
}

/// What all multiply by is no oddity: the same slip in every price of every list can not be seen, and scale is nothing
/// that the rule hangs on.
TEST(OddPrices, ScaleDoesNotMatter) {
  for (const double scale : {0.01, 1.0, 1e4}) {
    std::vector<Offer> base = known(), fresh = {offer("new", 24, 8), offer("new", 3.1, 8), offer("other", 30.0)};
    for (std::vector<Offer>* list : {&base, &fresh})
      for (Offer& one : *list) one.price = *one.price * scale;
    EXPECT_EQ(odd_prices(fresh, base).size(), 2u) << scale;
  }
}

}  // namespace
}  // namespace gpuplan
