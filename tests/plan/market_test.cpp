#include "plan/answer/market.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domain/market/offer_price.h"

namespace gpuplan {
namespace {

Offer offer(const std::string& gpu, int gpus, double dollars, const std::string& as_of = "",
            const std::string& provider = "p") {
  Offer result;
  result.gpu = gpu;
  result.gpus = gpus;
  result.provider = provider;
  result.as_of = as_of;
  result.price = exactly(dollars * units::dollar / units::hour);
  return result;
}

std::vector<std::string> gpus(const std::vector<Offer>& offers) {
  std::vector<std::string> names;
  for (const Offer& o : offers) names.push_back(o.gpu);
  return names;
}

using GpuNames = std::vector<std::string>;

TEST(Market, PricesOlderThanFiveMonthsBeforeTheNewestStayOut) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04-30"), offer("B", 1, 1, "2025-11-01"),
                                    offer("C", 1, 1, "2025-10-30"), offer("D", 1, 1)};
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for({}, catalogue, known, filter)), (GpuNames{"A", "B", "D"})) << "no date: kept";
  EXPECT_EQ(filter.too_old, 1);
  EXPECT_EQ(filter.offers, 4);
  EXPECT_EQ(filter.used, 3);
}

TEST(Market, AFewNewPricesMakeNoHistoryOfAllOthers) {
  const Catalogue catalogue;
  std::vector<Offer> known;
  for (int i = 0; i < 40; ++i) known.push_back(offer("A" + std::to_string(i), 1, 1, "2026-05"));
  known.push_back(offer("new", 1, 1, "2026-11"));
  MarketFilter filter;
  EXPECT_EQ(market_for({}, catalogue, known, filter).size(), 41u);
  EXPECT_EQ(filter.too_old, 0);
  for (int i = 0; i < 3; ++i) known.push_back(offer("B" + std::to_string(i), 1, 1, "2026-11"));
  filter = {};
  EXPECT_EQ(market_for({}, catalogue, known, filter).size(), 4u) << "one in twenty is as new";
  EXPECT_EQ(filter.too_old, 40);
}

TEST(Market, PricesAreTakenTimesTheirLevel) {
  const Catalogue catalogue;
  const auto dollars = [](double hourly) { return DollarsPerSecond(hourly / 3600); };
  std::vector<Offer> known = {offer("A", 1, 4, "2026-04"), offer("B", 1, 1, "2026-04")};
  known[0].spot_price = exactly(dollars(2));
  Job job;
  job.market.price_level = 1.5;
  job.where.max_price = dollars(5);
  Offer own = offer("C", 1, 3);
  own.kind = OfferKind::kOwn;
  job.market.own = {own};
  MarketFilter filter;
  auto market = market_for(job, catalogue, known, filter);
  EXPECT_EQ(gpus(market), (GpuNames{"B", "C"})) << "$4 have become $6";
  job.where.max_price.reset();
  market = market_for(job, catalogue, known, filter);
  ASSERT_EQ(gpus(market), (GpuNames{"A", "B", "C"}));
  EXPECT_NEAR(market[0].price->p50.value, dollars(6).value, 1e-12);
  EXPECT_NEAR(market[0].spot_price->p90.value, dollars(3).value, 1e-12);
  EXPECT_NEAR(market[2].price->p50.value, dollars(3).value, 1e-12) << "electricity is not rented";
}

TEST(Market, AsOfGoesBackInTime) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04"), offer("B", 1, 1, "2025-10"),
                                    offer("C", 1, 1, "2025-05")};
  Job job;
  job.market.as_of = "2025-11";
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"B", "C"})) << "nothing from the future";
}

TEST(Market, OwnOffersJoinOrReplaceTheKnown) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04")};
  Job job;
  job.market.offers = {offer("B", 1, 1)};
  job.market.pools = {offer("C", 4, 0)};
  job.market.pools[0].kind = OfferKind::kPool;
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"A", "B", "C"}));
  job.market.only = true;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"B", "C"}));
}

TEST(Market, WhereLeavesOut) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "", "aws"), offer("A", 8, 9, "", "gcp"),
                                    offer("B", 2, 3, "", "aws")};
  MarketFilter filter;
  Job job;
  job.where.gpus = {{"A", 0}};
  EXPECT_EQ(market_for(job, catalogue, known, filter).size(), 2U);
  EXPECT_EQ(filter.by_where, 1);
  job.where.gpus = {{"A", 8}};
  EXPECT_EQ(market_for(job, catalogue, known, filter).size(), 1U) << "a machine of eight";
  job.where = {};
  job.where.providers = {"AWS"};
  EXPECT_EQ(market_for(job, catalogue, known, filter).size(), 2U) << "whatever the case";
  job.where = {};
  job.where.max_price = 3 * units::dollar / units::hour;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"A", "B"}));
  job.where = {};
  job.where.quota = {{"gcp", 4}};
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"A", "B"}));
}

TEST(Market, OfOnePlaceTheNewestPriceCounts) {
  const Catalogue catalogue;
  std::vector<Offer> known = {offer("A", 8, 9, "2026-08"), offer("A", 8, 12, "2026-10"), offer("A", 4, 5, "2026-09")};
  MarketFilter filter;
  const auto market = market_for({}, catalogue, known, filter);
  ASSERT_EQ(market.size(), 2u);
  EXPECT_EQ(filter.outdated, 1);
  for (const Offer& one : market) EXPECT_NE(one.as_of, "2026-08");
  // A zone is a place of its own, and so is what the job brings.
  known[0].zone = "a";
  MarketFilter zones;
  EXPECT_EQ(market_for({}, catalogue, known, zones).size(), 3u);
  Job job;
  job.market.offers = {offer("A", 8, 7, "2026-01")};
  MarketFilter own;
  EXPECT_EQ(market_for(job, catalogue, known, own).size(), 4u);
}

TEST(Market, ProvidersNewPricesReplaceTheirOldOnes) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 8, 20, "2026-10"), offer("A", 1, 1, "2026-06"),
                                    offer("A", 2, 4, "2026-07"), offer("B", 1, 1, "2026-06"),
                                    offer("A", 1, 1, "2026-06", "q")};
  MarketFilter filter;
  const auto market = market_for({}, catalogue, known, filter);
  EXPECT_EQ(filter.outdated, 1) << "one GPU of June, beside eight of October";
  EXPECT_EQ(market.size(), 4u);
  // Asked for alone, it is the newest there is.
  Job job;
  job.where.gpus = {{"A", 1}};
  job.where.providers = {"p"};
  MarketFilter asked;
  EXPECT_EQ(market_for(job, catalogue, known, asked).size(), 1u);
}

TEST(Market, WhatIsNotToBeHadIsNoOffer) {
  Catalogue catalogue;
  catalogue.answer_constants.old_price_days = 60;
  std::vector<Offer> known = {offer("A", 1, 1, "2026-10-10"), offer("B", 1, 1, "2026-07-20"),
                              offer("C", 1, 1, "2026-10-10")};
  known[0].availability = known[1].availability = "a single machine when listed";
  known[2].stock = Stock::kSoldOut;
  Job job;
  job.market.today = "2026-11-25";
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (GpuNames{"A"}));
  EXPECT_EQ(filter.gone, 1);
  EXPECT_EQ(filter.sold_out, 1);
  EXPECT_EQ(filter.offers, filter.used + filter.gone + filter.sold_out);
  EXPECT_EQ(filter.old_matching, 1) << "what would be there, were it not gone";
  EXPECT_EQ(filter.old_newest, "2026-07-20");
  // Where none is left, the newest is told, be it too old or gone.
  known[0].as_of = "2025-12-01";
  known[2].stock = Stock::kUnsaid;
  job.where.gpus = {{"A", 1}, {"B", 1}};
  MarketFilter none;
  EXPECT_TRUE(market_for(job, catalogue, known, none).empty());
  EXPECT_EQ(none.old_matching, 2);
  EXPECT_EQ(none.old_newest, "2026-07-20");
  job.where.gpus = {{"C", 1}};
  MarketFilter others;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, others)), (GpuNames{"C"}));
  EXPECT_EQ(others.old_matching, 0) << "what nobody asked for is no loss";
}

TEST(Market, OldPricesAreWorthLess) {
  Catalogue catalogue;
  catalogue.answer_constants.price_drift = 0.2;
  catalogue.answer_constants.price_drift_spot = 0.3;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-10-25"), offer("B", 1, 1, "2026-07-25"),
                                    offer("C", 1, 1, "2026-11-25"), offer("D", 1, 1)};
  Job job;
  job.market.today = "2026-11-25";
  MarketFilter filter;
  const auto market = market_for(job, catalogue, known, filter);
  ASSERT_EQ(market.size(), 4u);
  EXPECT_NEAR(market[0].price_doubt.age, 0.2, 0.01) << "a month";
  EXPECT_NEAR(market[1].price_doubt.age, 0.4, 0.01) << "four months: twice";
  EXPECT_FALSE(market[2].price_doubt.any());
  EXPECT_FALSE(market[3].price_doubt.any());
  // The median stays, 80 % lie within exp(1.28 x 0.2).
  const auto price = price_today(market[0], false);
  EXPECT_EQ(price.p50, market[0].price->p50);
  EXPECT_NEAR(price.p90 / price.p50, std::exp(1.2816 * market[0].price_doubt.age), 1e-4);
  // Of no date of today nobody can say how old they are.
  MarketFilter undated;
  job.market.today.clear();
  for (const Offer& one : market_for(job, catalogue, known, undated)) EXPECT_FALSE(one.price_doubt.any());
}

}  // namespace
}  // namespace gpuplan
