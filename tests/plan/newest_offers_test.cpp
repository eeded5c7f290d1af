// Several lists of the same machines: the newest price counts, and nothing else is lost.
#include "plan/answer/newest_offers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "domain/market/offer_order.h"

namespace gpuplan {
namespace {

constexpr DollarsPerSecond kPerHour{1.0 / 3600};

Offer listed_offer(const std::string& source, const std::string& day, double price, double spot = 0) {
  Offer offer;
  offer.provider = "aws";
  offer.region = "us-east-1";
  offer.instance = "p5.48xlarge";
  offer.gpu = "H100 SXM";
  offer.gpus = 8;
  offer.source = source;
  offer.as_of = day;
  if (price > 0) offer.price = exactly(kPerHour * price);
  if (spot > 0) offer.spot_price = exactly(kPerHour * spot);
  return offer;
}

double in_dollars(const std::optional<Interval<DollarsPerSecond>>& price) { return price ? price->p50 / kPerHour : 0; }

TEST(NewestOffers, OfOneMachineTheNewestCounts) {
  Offer shouted = listed_offer("new", "2026-11-20", 57);
  shouted.provider = "AWS";
  const auto left = newest_offers({listed_offer("old", "2026-04", 44), shouted});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_NEAR(in_dollars(left[0].price), 57, 1e-9);
  for (auto field : {&Offer::provider, &Offer::region, &Offer::instance, &Offer::gpu}) {
    Offer other = listed_offer("new", "2026-11-20", 57);
    other.*field = "another";
    EXPECT_EQ(newest_offers({listed_offer("old", "2026-04", 44), other}).size(), 2U);
  }
}

TEST(NewestOffers, AListOfSpotPricesAloneLeavesThoseOnDemand) {
  const auto left =
      newest_offers({listed_offer("list", "2026-10-01", 55, 20), listed_offer("spot", "2026-11-01", 0, 9)});
  ASSERT_EQ(left.size(), 2U);
  EXPECT_NEAR(in_dollars(left[0].price), 55, 1e-9);
  EXPECT_NEAR(in_dollars(left[0].spot_price), 0, 1e-9);
  EXPECT_NEAR(in_dollars(left[1].spot_price), 9, 1e-9);
}

TEST(NewestOffers, ASourceThatNoLongerSaysAPriceTakesItBack) {
  const auto left = newest_offers({listed_offer("list", "2026-10-01", 55, 20), listed_offer("list", "2026-11-01", 56)});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_NEAR(in_dollars(left[0].price), 56, 1e-9);
}

TEST(NewestOffers, ZonesTakeThePlaceOfTheirRegion) {
  Offer zone = listed_offer("list", "2026-11-01", 56);
  zone.zone = "use1-az1";
  EXPECT_EQ(newest_offers({listed_offer("old", "2026-04", 44), zone}).size(), 1U);
  EXPECT_EQ(newest_offers({listed_offer("newer", "2026-11-02", 44), zone}).size(), 1U) << "of all zones";
  EXPECT_EQ(newest_offers({listed_offer("as new", "2026-11-01", 44), zone}).size(), 2U);
}

TEST(NewestOffers, WhatIsNotKnownYetPushesNothingOut) {
  const auto left =
      newest_offers({listed_offer("a", "2026-04", 44), listed_offer("b", "2026-11-20", 57)}, "2026-05-01");
  EXPECT_EQ(left.size(), 2U) << "the market leaves later ones out itself";
}

TEST(NewestOffers, SayTheSameTwiceAndKeepTheirOrder) {
  std::mt19937 random(1);
  const auto any = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Offer> offers;
    for (unsigned i = any(12); i > 0; --i) {
      Offer offer = listed_offer(any(2) == 0 ? "a" : "b", "2026-0" + std::to_string(1 + any(3)), any(3), any(2));
      if (!offer.price && !offer.spot_price) continue;
      offer.zone = any(3) == 0 ? "z" : "";
      offer.instance = any(2) == 0 ? "m" : "n";
      offer.vcpus = static_cast<int>(i);  // who is who
      offers.push_back(offer);
    }
    const auto once = newest_offers(offers);
    EXPECT_EQ(newest_offers(once), once);
    EXPECT_TRUE(offers.empty() || !once.empty());
    EXPECT_TRUE(std::ranges::is_sorted(once, [](const Offer& a, const Offer& b) { return a.vcpus > b.vcpus; }));
    // A long list and a short one: the same, in any order.
    const std::size_t half = offers.size() / 2;
    const auto first = newest_offers({offers.begin(), offers.begin() + static_cast<std::ptrdiff_t>(half)});
    // What both say of one day and source counts once.
    const auto second = std::span(offers).subspan(half);
    std::vector<Offer> all = first;
    std::erase_if(all, [&](const Offer& one) {
      return std::ranges::any_of(second, [&](const Offer& other) {
        return one.source == other.source && one.as_of == other.as_of && one.zone == other.zone &&
               one.instance == other.instance && one.price == other.price && one.spot_price == other.spot_price;
      });
    });
    all.insert(all.end(), second.begin(), second.end());
    auto expected = newest_offers(all), joined = joined_newest(first, second);
    std::ranges::sort(expected, before);
    std::ranges::sort(joined, before);
    EXPECT_EQ(joined, expected);
    for (const Offer& offer : once) EXPECT_TRUE(offer.price || offer.spot_price);
  }
}

}  // namespace
}  // namespace gpuplan
