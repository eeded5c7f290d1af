#include "plan/answer/market.h"

#include <gtest/gtest.h>

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

using Names = std::vector<std::string>;

TEST(Market, PricesOlderThanSixMonthsBeforeTheNewestStayOut) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04-30"), offer("B", 1, 1, "2025-10-01"),
                                    offer("C", 1, 1, "2025-09-30"), offer("D", 1, 1)};
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for({}, catalogue, known, filter)), (Names{"A", "B", "D"})) << "no date: kept";
  EXPECT_EQ(filter.too_old, 1);
  EXPECT_EQ(filter.offers, 4);
  EXPECT_EQ(filter.used, 3);
}

TEST(Market, AsOfGoesBackInTime) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04"), offer("B", 1, 1, "2025-10"),
                                    offer("C", 1, 1, "2025-05")};
  Job job;
  job.market.as_of = "2025-11";
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (Names{"B", "C"})) << "nothing from the future";
}

TEST(Market, OwnOffersJoinOrReplaceTheKnown) {
  const Catalogue catalogue;
  const std::vector<Offer> known = {offer("A", 1, 1, "2026-04")};
  Job job;
  job.market.offers = {offer("B", 1, 1)};
  job.market.pools = {offer("C", 4, 0)};
  job.market.pools[0].kind = OfferKind::kPool;
  MarketFilter filter;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (Names{"A", "B", "C"}));
  job.market.only = true;
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (Names{"B", "C"}));
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
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (Names{"A", "B"}));
  job.where = {};
  job.where.quota = {{"gcp", 4}};
  EXPECT_EQ(gpus(market_for(job, catalogue, known, filter)), (Names{"A", "B"}));
}

}  // namespace
}  // namespace gpuplan
