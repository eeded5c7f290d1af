// Areas of where.regions: what they hold of the built-in market, and names of regions that have a comma.
#include "input/prices/region_areas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

std::set<std::string> regions_of_market() {
  std::set<std::string> regions;
  for (const Offer& offer : known().offers)
    if (!offer.region.empty()) regions.insert(offer.region);
  return regions;
}

Job asking(const std::vector<std::string>& regions) {
  std::string list;
  for (const std::string& region : regions) list += (list.empty() ? "'" : ", '") + region + "'";
  return job_of("phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\nwhere: {regions: [" + list + "]}\n");
}

/// Regions that a job gets which asks for these; what age leaves out counts too.
std::set<std::string> got(const std::vector<std::string>& regions, MarketFilter* told = nullptr) {
  std::vector<Offer> offers;
  for (Offer offer : known().offers) {
    offer.as_of = "";
    offer.stock = Stock::kUnsaid;
    offers.push_back(std::move(offer));
  }
  MarketFilter filter;
  std::set<std::string> found;
  for (const Offer& offer : market_for(asking(regions), known(), offers, filter, true)) found.insert(offer.region);
  if (told != nullptr) *told = filter;
  return found;
}

TEST(RegionAreas, EveryRegionOfTheMarketIsInAnArea) {
  std::set<std::string> in_some;
  for (const std::string& area : region_areas()) in_some.merge(got({area}));
  // A region that lies nowhere would stand here, with the reason.
  const std::set<std::string> nowhere;
  for (const std::string& region : regions_of_market())
    EXPECT_NE(in_some.contains(region), nowhere.contains(region)) << region;
}

TEST(RegionAreas, ContinentsHoldTheirCountriesAndNoneOfTheOthers) {
  const std::vector<std::vector<std::string>> apart = {
      {"us", "canada", "mexico"}, {"europe"}, {"south-america"}, {"asia"}, {"oceania"}, {"middle-east"}, {"africa"}};
  std::set<std::string> seen;
  for (const auto& areas : apart)
    for (const std::string& region : got(areas)) EXPECT_TRUE(seen.insert(region).second) << region << " is in two";
  EXPECT_EQ(seen, regions_of_market());
  const auto eu = got({"eu"}), europe = got({"europe"});
  EXPECT_TRUE(std::ranges::includes(europe, eu));
  for (const char* region :
       {"FIN-01", "fr-par-2", "pl-waw-2", "Ploiesti, Romania", "Dublin, Ireland", "Romania, RO", "DE"})
    EXPECT_TRUE(eu.contains(region)) << region;
  for (const char* region : {"norwayeast", "eu-west-2", "Kryvyi Rih, Ukraine", "NO", "RU"})
    EXPECT_FALSE(eu.contains(region)) << region;
  const auto us = got({"United States"});
  for (const char* region : {"Chicago, United States", "California, US", "United States", "us-central1", "eastus"})
    EXPECT_TRUE(us.contains(region)) << region;
  EXPECT_FALSE(us.contains("CA")) << "Canada, not California";
}

TEST(RegionAreas, ARegionOfTheMarketGetsItsOwnOffersHoweverItIsWritten) {
  for (const std::string& region : regions_of_market()) {
    EXPECT_TRUE(got({region}).contains(region)) << region;
    EXPECT_TRUE(got({to_lower(region)}).contains(region)) << region;
    // One of a list in one word, as flags take it, before and behind others.
    for (const std::string& text :
         {region + ",eu-west-2", "eu-west-2, " + region, "us-west-2," + region + " ,eu-west-2"})
      EXPECT_TRUE(got({text}).contains(region)) << text;
  }
}

TEST(RegionAreas, AListIsTakenApartAndACityStaysWithItsCountry) {
  using Names = std::vector<std::string>;
  const auto& offers = known().offers;
  EXPECT_EQ(regions_named("us, eu", offers), (Names{"us", "eu"}));
  EXPECT_EQ(regions_named("us-east-1,US", offers), (Names{"us-east-1", "US"}));
  EXPECT_EQ(regions_named("Secaucus, United States", offers), (Names{"Secaucus, United States"}));
  EXPECT_EQ(regions_named("Secaucus, United States, eu", {}), (Names{"Secaucus, United States", "eu"}));
  EXPECT_EQ(regions_named("Atlantis, Germany", {}), (Names{"Atlantis, Germany"}));
  EXPECT_EQ(regions_named("us,,eu", offers), (Names{"us", "", "eu"}));
}

TEST(RegionAreas, WhatStatesNoRegionOrAnUnknownOneIsCounted) {
  MarketFilter filter;
  got({"eu"}, &filter);
  const auto unstated = std::ranges::count_if(known().offers, [](const Offer& offer) { return offer.region.empty(); });
  EXPECT_EQ(filter.no_region, unstated);
  EXPECT_EQ(filter.unknown_region, 0);
  std::vector<Offer> offers(2);
  for (Offer& offer : offers) {
    offer.gpu = "L4";
    offer.price = exactly(DollarsPerSecond{1e-4});
  }
  offers[0].region = "moon-1";
  offers[1].region = "us-east-1";
  market_for(asking({"eu"}), known(), offers, filter = {});
  EXPECT_EQ(filter.unknown_region, 1);
  market_for(asking({"eu-north1"}), known(), offers, filter = {});
  EXPECT_EQ(filter.unknown_region, 0) << "a region by name: others are other ones";
}

}  // namespace
}  // namespace gpuplan
