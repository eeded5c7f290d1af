// Ids: no two plans of an answer share one, and the order of what is listed has no part in any of them.
#include "plan/answer/identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "base/text.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// A whole number of [0, most).
int any(std::mt19937& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); }

/// Offers that differ in few things, some in nothing.
std::vector<Offer> near_duplicates(std::mt19937& random, int size) {
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[any(random, static_cast<int>(words.size()))]);
  };
  constexpr DollarsPerSecond kDollar{1.0 / 3600};
  std::vector<Offer> market;
  for (int i = 0; i < size; ++i) {
    Offer& offer = market.emplace_back();
    offer.kind = any(random, 3) == 0 ? OfferKind::kPool : OfferKind::kRented;
    offer.gpu = one_of({"H100 SXM", "A100 SXM 80GB"});
    offer.gpus = 1 + any(random, 2);
    offer.provider = one_of({"a", "A", "b"});
    offer.region = one_of({"", "x"});
    offer.label = offer.kind == OfferKind::kPool ? one_of({"p", "q"}) : one_of({"", "", "named"});
    offer.partition = offer.kind == OfferKind::kPool ? one_of({"", "cheap", "dear"}) : "";
    offer.price = exactly(kDollar * (1 + any(random, 3)));
    if (any(random, 3) == 0) {
      offer.spot_price = exactly(kDollar * 0.5 * (1 + any(random, 2)));
      offer.interruptions = exactly(PerSecond{(1 + any(random, 2)) * 1e-6});
    }
    offer.availability = one_of({"", "", "rare"});
    if (any(random, 4) == 0) offer.billing.minimum = Seconds{3600};
    if (any(random, 4) == 0) offer.billing.startup = Seconds{600};
    if (any(random, 6) == 0) offer.max_time = Seconds{1e6};
  }
  return market;
}

Job small_job() {
  return job_of(R"(
phases:
  - name: train
    train: {model: {layers: 12, hidden: 768}, data: {tokens: 1B}, sequence: 1024, batch: {sequences: 64}}
  - name: work
    fixed: {gpus: 1, time: 30 min}
where: {spot: allow}
)");
}

/// What a plan is told_plans by, by id.
std::map<std::string, std::string> told_plans(const SearchResult& found) {
  std::map<std::string, std::string> plans;
  for (const Plan& plan : found.plans) {
    std::string text = plan.label + ' ' + number_text(plan.hours.p50.value) + ' ' + number_text(plan.hours.p90.value) +
                       ' ' + number_text(plan.cost.p50.value) + ' ' + number_text(plan.cost.p90.value) +
                       (plan.on_frontier ? " frontier" : "");
    EXPECT_TRUE(plans.emplace(plan.id, text).second) << plan.id << " is the id of two plans: " << text;
    for (const int position : plan.dominated_by) {
      const Plan& by = found.plans[static_cast<std::size_t>(position)];
      EXPECT_NE(by.id, plan.id) << text << " beats itself";
      EXPECT_TRUE(by.on_frontier);
    }
  }
  return plans;
}

SearchResult planned(const Job& job, const std::vector<Offer>& known_offers, std::vector<Offer>& market) {
  MarketFilter filter;
  Job asked = job;
  asked.market.only = false;
  market = market_for(asked, known(), known_offers, filter);
  EXPECT_EQ(filter.used + filter.twice + filter.by_where, filter.offers);
  auto found = search(asked, known(), market, {});
  EXPECT_TRUE(found.has_value());
  return found ? *std::move(found) : SearchResult{};
}

TEST(Identity, NoTwoPlansOfNearlyEqualOffersShareAnId) {
  const Job job = small_job();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<Offer> offers = near_duplicates(random, 60);
    std::vector<Offer> market, again;
    const auto first = told_plans(planned(job, offers, market));
    std::ranges::shuffle(offers, random);
    EXPECT_EQ(first, told_plans(planned(job, offers, again))) << "the order of offers, seed " << seed;
    // Past market_for() as well.
    std::ranges::shuffle(market, random);
    Job asked = job;
    const auto shuffled = search(asked, known(), market, {});
    ASSERT_TRUE(shuffled.has_value());
    EXPECT_EQ(first, told_plans(*shuffled)) << seed;
  }
}

TEST(Identity, StaysWhenPricesAndWhatElseChangesFromDayToDayDo) {
  const Job job = small_job();
  std::mt19937 random(7);
  std::vector<Offer> offers = near_duplicates(random, 60);
  std::vector<Offer> market, again;
  std::set<std::string> today, tomorrow;
  for (const auto& [id, text] : told_plans(planned(job, offers, market))) today.insert(id);
  for (Offer& offer : offers) {
    offer.price = *offer.price * 1.1;
    if (offer.spot_price) offer.spot_price = *offer.spot_price * 1.1;
    offer.as_of = "2026-12-01";
    offer.source = "tomorrow";
  }
  for (const auto& [id, text] : told_plans(planned(job, offers, again))) tomorrow.insert(id);
  EXPECT_EQ(today, tomorrow);
}

TEST(Identity, EqualOffersAreCountedOnce) {
  const Job job = small_job();
  Offer offer;
  offer.gpu = "H100 SXM";
  offer.price = exactly(DollarsPerSecond{1e-3});
  MarketFilter filter;
  Job asked = job;
  asked.market.only = false;
  EXPECT_EQ(market_for(asked, known(), {offer, offer, offer}, filter).size(), 1U);
  EXPECT_EQ(filter.twice, 2);
  EXPECT_EQ(filter.used, 1);
}

TEST(Identity, IdsThatWouldReadAlikeGrowLonger) {
  // Two identities of one short id, found by trying.
  std::map<std::string, std::uint64_t> seen;
  std::uint64_t a = 0, b = 0;
  for (std::uint64_t i = 1; b == 0; ++i) {
    const auto [known, fresh] = seen.emplace(short_id(hash_of(std::to_string(i))), hash_of(std::to_string(i)));
    if (!fresh) {
      a = known->second;
      b = hash_of(std::to_string(i));
    }
  }
  std::vector<Plan> plans(3);
  plans[0].identity = a;
  plans[1].identity = b;
  plans[2].identity = 12345;
  set_ids(plans);
  EXPECT_NE(plans[0].id, plans[1].id);
  EXPECT_GT(plans[0].id.size(), 6U);
  EXPECT_EQ(plans[0].id.size(), plans[1].id.size());
  EXPECT_EQ(plans[2].id.size(), 6U) << "the others stay as they are";
  const std::string first = plans[0].id;
  std::swap(plans[0], plans[1]);
  set_ids(plans);
  EXPECT_EQ(plans[1].id, first);
}

}  // namespace
}  // namespace gpuplan
