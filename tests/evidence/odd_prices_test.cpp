// Prices that nobody else asks, and those that somebody does.
#include "evidence/market/odd_prices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/training_fixture.h"

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

const std::vector<Offer>& odd_known() {
  static const std::vector<Offer> offers = {offer("a", 2), offer("b", 3), offer("c", 4), offer("dear", 11)};
  return offers;
}

TEST(OddPrices, APriceOfEightTakenForOneAndOneForEight) {
  // The median of 2, 3, 4 and 11 (the lower of the two in the middle) is 3, with 24 of the new provider 4.
  const auto odd = odd_prices({offer("new", 24, 8), offer("new", 3.1, 8), offer("other", 30.0, 1)}, odd_known());
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].offer, 1u);
  EXPECT_LT(odd[0].times, 0.2);
  EXPECT_EQ(odd[1].offer, 2u);
  EXPECT_GT(odd[1].times, 7);
}

TEST(OddPrices, CloudsMayBeDear) {
  EXPECT_TRUE(odd_prices({offer("cloud", 12.3)}, odd_known()).empty());
  EXPECT_TRUE(odd_prices({offer("host", 1.0)}, odd_known()).empty());
}

TEST(OddPrices, AProviderIsHeldAgainstItsOwn) {
  // Within what the market allows (4 x 7), six times what it asked before.
  const auto odd = odd_prices({offer("a", 12.5)}, odd_known());
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].gauge, PriceGauge::kBefore);
  EXPECT_NEAR(odd[0].times, 6.25, 1e-9);
}

TEST(OddPrices, WhoAlwaysAskedSoMay) {
  std::vector<Offer> before = odd_known();
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
  std::vector<Offer> cheap = odd_known();
  for (Offer& one : cheap) one.price = *one.price * 0.2;  // $0.40 to $2.20 a GPU
  Offer roomy = offer("new", 5.8);
  EXPECT_EQ(odd_prices({roomy}, cheap).size(), 1u);
  roomy.vcpus = 64;
  EXPECT_TRUE(odd_prices({roomy}, cheap).empty());
}

TEST(OddPrices, EachIsHeldAgainstItsOwnTime) {
  const auto odd = odd_prices({offer("new", 30, 1, "2022-12"), offer("new", 30, 1, "2026-11")}, odd_known());
  ASSERT_EQ(odd.size(), 1u) << "the market of 2022 is not known";
  EXPECT_EQ(odd.front().offer, 1u);
}

TEST(OddPrices, WhoIsNewDoesNotVouch) {
  std::vector<Offer> market = odd_known();
  for (const char* name : {"e", "f", "g"}) market.push_back(offer(name, 3.2));
  EXPECT_EQ(odd_prices({offer("x", 0.3), offer("y", 0.33)}, market).size(), 2u);
  std::vector<Offer> many;
  for (int i = 0; i < 20; ++i) many.push_back(offer("new " + std::to_string(i), 0.03 + 0.001 * i));
  EXPECT_EQ(odd_prices(many, market).size(), many.size());
  // Nor does what was kept against advice.
  PriceJudge judge;
  judge.add_known(market);
  judge.add_stored({offer("x", 0.3)});
  judge.add(offer("y", 0.33), PriceStanding::kNew);
  judge.add(offer("x", 0.29), PriceStanding::kNew);
  EXPECT_EQ(judge.judge(offer("y", 0.33)).size(), 1u);
  EXPECT_TRUE(judge.judge(offer("x", 0.29)).empty()) << "the same provider asked it before";
}

TEST(OddPrices, EightTimesAtEitherEndOfTheMarket) {
  std::vector<Offer> market = odd_known();
  market.push_back(offer("low", 1.3));
  // A machine of eight at the price of one that is cheap, and one GPU at that of a machine of a dear one.
  EXPECT_EQ(odd_prices({offer("new", 8 * 0.77, 8)}, market).size(), 1u);
  EXPECT_TRUE(odd_prices({offer("new", 0.77)}, market).empty()) << "one GPU alone";
  EXPECT_EQ(odd_prices({offer("new", 18)}, market).size(), 1u);
}

TEST(OddPrices, TwoProvidersAreNoMarket) {
  EXPECT_TRUE(odd_prices({offer("new", 18)}, {offer("a", 2)}).empty());
  EXPECT_EQ(odd_prices({offer("new", 21)}, {offer("a", 2)}).size(), 1u) << "cents";
  // And prices of other years are none of today.
  std::vector<Offer> old = odd_known();
  for (Offer& one : old) one.as_of = "2022-12";
  EXPECT_TRUE(odd_prices({offer("new", 100)}, old).empty());
}

TEST(OddPrices, SpotIsHeldAgainstSpot) {
  std::vector<Offer> spots = odd_known();
  for (Offer& one : spots) one.spot_price = exactly(one.price->p50 * 0.3);
  Offer fresh = offer("new", 3);
  fresh.spot_price = exactly(DollarsPerSecond{0.01 / 3600});
  const auto odd = odd_prices({fresh}, spots);
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_TRUE(odd[0].spot);
}

TEST(OddPrices, TheLimitIsHowFarProvidersLieApart) {
  // The median of 2.5, 3, 3.5 and 4 is the lower of the two in the middle.
  const std::vector<Offer> close = {offer("a", 2.5), offer("b", 3), offer("c", 3.5), offer("d", 4)};
  EXPECT_TRUE(odd_prices({offer("new", 23.8, 2)}, close).empty());
  EXPECT_EQ(odd_prices({offer("new", 32, 2)}, close).size(), 1u) << "5.3 times";
  const std::vector<Offer> apart = {offer("a", 1), offer("b", 3), offer("c", 8), offer("d", 9)};
  EXPECT_TRUE(odd_prices({offer("new", 14)}, apart).empty());
  EXPECT_EQ(odd_prices({offer("new", 65)}, apart).size(), 1u);
}

TEST(OddPrices, APriceIsHeldAgainstOthersOfItsList) {
  // Nobody else has that GPU.
  const std::vector<Offer> list = {offer("new", 3), offer("new", 6, 2), offer("new", 3, 8), offer("new", 24, 8),
                                   offer("new", 24, 1)};
  const auto odd = odd_prices(list, {});
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].offer, 2u);
  EXPECT_NEAR(odd[0].times, 0.125, 1e-9);
  EXPECT_EQ(odd[1].offer, 4u);
  EXPECT_NEAR(odd[1].times, 8, 1e-9);
  for (const OddPrice& one : odd) EXPECT_EQ(one.gauge, PriceGauge::kOwn);
}

TEST(OddPrices, OfTwoThatContradictTheOneFarFromTheMarketIsOdd) {
  const auto high = odd_prices({offer("new", 1.8), offer("new", 10)}, odd_known());
  ASSERT_EQ(high.size(), 1u);
  EXPECT_EQ(high[0].offer, 1u);
  const auto low = odd_prices({offer("new", 0.8), offer("new", 3.4)}, odd_known());
  ASSERT_EQ(low.size(), 1u);
  EXPECT_EQ(low[0].offer, 0u);
  EXPECT_TRUE(odd_prices({offer("new", 0.8), offer("new", 3.4)}, {}).empty()) << "without a market nothing tells which";
}

TEST(OddPrices, SpotFarAboveOnDemand) {
  Offer slip = offer("new", 3);
  slip.spot_price = exactly(DollarsPerSecond{9.6 / 3600});
  const auto odd = odd_prices({slip}, {});
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_TRUE(odd[0].spot);
  EXPECT_EQ(odd[0].gauge, PriceGauge::kOnDemand);
  slip.spot_price = slip.price;
  EXPECT_TRUE(odd_prices({slip}, {}).empty());
}

/// The built-in list, where it has a market: of every GPU but those whose dearest providers are as dear, what a new
/// provider asks eight times too much for is found, were its true price 0.86 times the median.
TEST(OddPrices, EightTimesTheMarketIsFoundForEveryGpu) {
  const std::vector<Offer>& offers = training_fixture::catalogue().offers;
  std::map<std::string, std::map<std::string, std::vector<double>>> kinds;
  for (const Offer& one : offers)
    if (one.kind == OfferKind::kRented && one.price && one.as_of >= "2025-11")
      kinds[one.gpu][one.provider].push_back(one.price->p50.value / one.gpus);
  std::size_t asked = 0;
  for (auto& [gpu, providers] : kinds) {
    if (providers.size() < 6) continue;
    std::vector<double> medians;
    for (auto& [provider, prices] : providers) {
      std::ranges::sort(prices);
      medians.push_back(prices[(prices.size() - 1) / 2]);
    }
    std::ranges::sort(medians);
    const double usual = medians[(medians.size() - 1) / 2];
    for (const double its : {0.86, 1.0, 1.5}) {
      if (medians.back() * 1.25 > 8 * its * usual) continue;
      Offer one = offer("a new provider", 1, 1, "2026-11");
      one.gpu = gpu;
      one.price = exactly(DollarsPerSecond{8 * its * usual});
      ++asked;
      EXPECT_EQ(odd_prices({one}, offers).size(), 1u) << gpu << " at " << 8 * its << " times";
      one.price = exactly(DollarsPerSecond{its * usual});
      EXPECT_TRUE(odd_prices({one}, offers).empty()) << gpu << " at " << its << " times";
    }
  }
  EXPECT_GT(asked, 40u);
}

TEST(OddPrices, TheBuiltInListIsNotOdd) {
  const std::vector<Offer>& offers = training_fixture::catalogue().offers;
  EXPECT_TRUE(odd_prices(offers, offers).empty());
}

/// What all multiply by is no oddity: the same slip in every price of every list can not be seen, and scale is nothing
/// that the rule hangs on.
TEST(OddPrices, ScaleDoesNotMatter) {
  for (const double scale : {0.01, 1.0, 1e4}) {
    std::vector<Offer> base = odd_known(), fresh = {offer("new", 24, 8), offer("new", 3.1, 8), offer("other", 30.0)};
    for (std::vector<Offer>* list : {&base, &fresh})
      for (Offer& one : *list) one.price = *one.price * scale;
    EXPECT_EQ(odd_prices(fresh, base).size(), 2u) << scale;
  }
}

}  // namespace
}  // namespace gpuplan
