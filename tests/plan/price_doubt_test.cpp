// What is in doubt of a price, and what it does to plans: the range of their cost, and how they are compared.
#include "plan/answer/price_doubt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "output/explain/range_table.h"
#include "plan/ranking/comparison.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

Catalogue facts() {
  Catalogue catalogue;
  catalogue.answer_constants.price_drift = 0.1;
  catalogue.answer_constants.price_drift_spot = 0.3;
  catalogue.price_spreads = {{"bazaar", PriceTerms::kOnDemand, SpreadOver::kHosts, 0.2, "s", "2026-10"},
                             {"bazaar", PriceTerms::kSpot, SpreadOver::kHosts, 0.5, "s", "2026-10"},
                             {"cloud", PriceTerms::kSpot, SpreadOver::kZones, 0.3, "s", "2026-10"},
                             {"cloud", PriceTerms::kSpot, SpreadOver::kRegions, 0.4, "s", "2026-10"}};
  return catalogue;
}

Offer offer_of(const std::string& provider, const std::string& region = "") {
  Offer offer;
  offer.provider = provider;
  offer.region = region;
  offer.gpu = "L4";
  offer.price = offer.spot_price = exactly(1 * units::dollar / units::hour);
  offer.as_of = "2026-10-15";
  return offer;
}

constexpr const char* kToday = "2026-10-15";

TEST(PriceDoubt, IsOfHostsZonesAndRegionsAsTheTableSays) {
  const Catalogue all = facts();
  EXPECT_FALSE(price_doubt(offer_of("elsewhere"), false, all, kToday).any()) << "no row speaks of it";
  EXPECT_DOUBLE_EQ(price_doubt(offer_of("Bazaar", "DE"), false, all, kToday).place, 0.2);
  EXPECT_DOUBLE_EQ(price_doubt(offer_of("bazaar"), true, all, kToday).place, 0.5);
  EXPECT_FALSE(price_doubt(offer_of("cloud", "north"), false, all, kToday).any());
  EXPECT_DOUBLE_EQ(price_doubt(offer_of("cloud", "north"), true, all, kToday).place, 0.3) << "one stays in a region";
  EXPECT_DOUBLE_EQ(price_doubt(offer_of("cloud"), true, all, kToday).place, 0.5) << "squares add up";
  EXPECT_EQ(spreads_of(offer_of("cloud"), true, all).size(), 2U);
}

TEST(PriceDoubt, GrowsWithAgeFasterOnSpot) {
  const Catalogue all = facts();
  const Offer offer = offer_of("elsewhere");
  double before = 0;
  for (const char* today : {"2026-10-15", "2026-10-16", "2026-11-15", "2027-02-15"}) {
    const double age = price_doubt(offer, false, all, today).age;
    EXPECT_TRUE(age > before || (age == 0 && before == 0)) << today;
    EXPECT_NEAR(price_doubt(offer, true, all, today).age, 3 * age, 1e-12);
    before = age;
  }
  EXPECT_FALSE(price_doubt(offer, false, all, "").any()) << "nobody says which day it is";
}

OwnScatter own_of(const std::string& provider, PriceTerms terms = PriceTerms::kOnDemand) {
  OwnScatter own;
  own.provider = provider;
  own.gpu = "L4";
  own.terms = terms;
  return own;
}

TEST(PriceDoubt, StoredPricesSpeakByHowManyTheyAre) {
  Catalogue all = facts();
  all.answer_constants.own_drift_months = 3;
  all.answer_constants.own_spread_prices = 10;
  OwnScatter own = own_of("bazaar");
  own.moves = {0.0, 3, 24, 91};
  own.of(SpreadOver::kHosts) = {0.16, 12, 10};
  const OwnScatters store{own};
  const std::string later = "2026-11-15";
  const PriceDoubt known = price_doubt(offer_of("bazaar"), false, all, later);
  const PriceDoubt told = price_doubt(offer_of("bazaar"), false, all, later, store);
  EXPECT_NEAR(told.age, known.age * std::sqrt(0.5), 1e-12) << "as much evidence as the built-in figure, of no move";
  EXPECT_NEAR(told.place, std::sqrt((0.04 + 0.16) / 2), 1e-12);
  EXPECT_EQ(price_doubt(offer_of("bazaar"), true, all, later, store), price_doubt(offer_of("bazaar"), true, all, later))
      << "spot prices are others";
  Offer other = offer_of("bazaar");
  other.gpu = "A10";
  EXPECT_EQ(price_doubt(other, false, all, later, store), known) << "so are those of other GPUs";
  EXPECT_FALSE(price_doubt(offer_of("elsewhere"), false, all, kToday, {own_of("elsewhere")}).any());
  const std::vector<OfferSpread> spreads = spreads_of(offer_of("bazaar"), false, all, store);
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_EQ(spreads[0].own_prices, 12);
}

TEST(PriceDoubt, HostsOfTheStoreAreThoseOfSingleMachines) {
  Catalogue all = facts();
  all.answer_constants.own_drift_months = 3;
  all.answer_constants.own_spread_prices = 10;
  OwnScatter own = own_of("elsewhere");
  own.of(SpreadOver::kHosts) = {0.16, 31, 30};
  Offer offer = offer_of("elsewhere");
  EXPECT_EQ(price_doubt(offer, false, all, kToday, {own}).place, 0);
  offer.availability = "single machine of one host";
  EXPECT_NEAR(price_doubt(offer, false, all, kToday, {own}).place, std::sqrt(0.16 * 30 / 40), 1e-12);
}

TEST(PriceDoubt, IsNoneOfWhatIsOnesOwn) {
  const Catalogue all = facts();
  Offer own = offer_of("bazaar");
  own.source = kJobSource;
  EXPECT_FALSE(price_doubt(own, false, all, "2027-02-15").any());
  Offer pool = offer_of("bazaar");
  pool.kind = OfferKind::kPool;
  EXPECT_FALSE(price_doubt(pool, false, all, "2027-02-15").any());
  Offer no_spot = offer_of("bazaar");
  no_spot.spot_price.reset();
  EXPECT_FALSE(price_doubt(no_spot, true, all, "2027-02-15").any());
}

/// Searched on the built-in market as it is on a day; `certain`: with no price in doubt.
class Market {
 public:
  Market(const std::string& text, const std::string& today, bool certain = false) : job(job_of(text)) {
    job.market.today = today;
    market = market_for(job, known(), known().offers, filter);
    for (Offer& offer : market)
      if (certain) offer.price_doubt = offer.spot_doubt = {};
    auto found = search(job, known(), market, {});
    if (found) result = std::move(*found);
  }
  const Plan* find(const std::string& id) const {
    for (const Plan& plan : result.plans)
      if (plan.id == id) return &plan;
    return nullptr;
  }

  Job job;
  std::vector<Offer> market;
  MarketFilter filter;
  SearchResult result;
};

constexpr const char* kLora =
    "phases: {name: a, train: {model: Qwen/Qwen3-8B, method: lora, data: {tokens: 10M}, sequence: 2048}, setup: {time: "
    "10 min}}\n";
constexpr const char* kSpot = "where: {spot: allow}\nspot: {interruptions: 5%/h}\n";

TEST(PriceDoubt, MakesNoRangeOfACostNarrowerAndChangesNoTime) {
  const std::string text = std::string(kLora) + kSpot;
  const Market doubted(text, "2026-11-28"), certain(text, "2026-11-28", true);
  ASSERT_GT(certain.result.plans.size(), 20U);
  int wider = 0, on_spot = 0, of_hosts = 0;
  for (const Plan& plan : certain.result.plans) {
    const Plan* same = doubted.find(plan.id);
    if (same == nullptr) continue;
    EXPECT_EQ(same->hours.p10, plan.hours.p10) << plan.label;
    EXPECT_EQ(same->hours.p90, plan.hours.p90) << plan.label;
    EXPECT_LE(same->cost.p10.value, plan.cost.p10.value * 1.002) << plan.label;
    EXPECT_GE(same->cost.p90.value, plan.cost.p90.value * 0.998) << plan.label;
    // Bills are in cents, or in hundredths of one.
    EXPECT_NEAR(same->cost.p50 / plan.cost.p50, 1, 0.005) << plan.label;
    wider += same->cost.p90 > plan.cost.p90 * 1.02 ? 1 : 0;
    on_spot += plan.spot ? 1 : 0;
    of_hosts += plan.offer != nullptr && plan.offer->provider == "lium" ? 1 : 0;
  }
  EXPECT_GT(wider, 20);
  EXPECT_GT(on_spot, 0);
  EXPECT_GT(of_hosts, 0);
}

TEST(PriceDoubt, OlderPricesMakeNoRangeNarrower) {
  const Market now(kLora, "2026-11-01"), later(kLora, "2026-12-01");
  int compared = 0, wider = 0;
  for (const Plan& plan : now.result.plans) {
    const Plan* same = later.find(plan.id);
    if (same == nullptr) continue;
    ++compared;
    // What one month adds to a doubt of several is less than what samples tell it by (Scores).
    EXPECT_GE(std::log(same->cost.p90 / same->cost.p10), std::log(plan.cost.p90 / plan.cost.p10) * 0.95) << plan.label;
    wider += same->cost.p90 / same->cost.p10 > plan.cost.p90 / plan.cost.p10 ? 1 : 0;
  }
  EXPECT_GT(compared, 20);
  EXPECT_GT(wider, compared * 0.8);
}

TEST(PriceDoubt, OwnPricesHaveTheRangeOfTheTime) {
  const std::string own =
      "market: {use: only, offers: [{gpu: L4, provider: vast, price: $1/h}, {gpu: A10, provider: lium, price: "
      "$1/h}]}\n";
  const Market all(own + kLora, "2026-11-28");
  ASSERT_EQ(all.result.plans.size(), 2U);
  for (const Plan& plan : all.result.plans) {
    EXPECT_TRUE(price_loads(plan).empty());
    EXPECT_NEAR(plan.cost.p90 / plan.cost.p50, plan.hours.p90 / plan.hours.p50, 5e-3);  // to a cent and a second
    EXPECT_TRUE(cost_range_table(cost_range(plan, known())).empty());
  }
}

TEST(PriceDoubt, PartsOfARangeAddUpAndAreNamed) {
  const Market all(std::string(kLora) + kSpot, "2026-11-28");
  int named = 0;
  for (const Plan& plan : all.result.plans) {
    const CostRange range = cost_range(plan, known());
    double squares = range.rest * range.rest, prices = 0;
    for (const RangeParts::Part& part : range.prices) prices += part.off * part.off;
    squares += prices;
    // Where time says nothing, samples may tell a little less than their parts.
    EXPECT_NEAR(std::sqrt(squares), range.whole, range.rest > 0 ? 1e-9 : 0.02) << plan.label;
    for (const PriceLoad& load : price_loads(plan)) EXPECT_GT(load.load, 0);
    if (plan.offer->provider != "lium" || plan.spot) continue;
    ++named;
    ASSERT_EQ(range.prices.size(), 2U);
    EXPECT_TRUE(range.prices[0].words == "hosts of lium" || range.prices[1].words == "hosts of lium");
    EXPECT_TRUE(range.prices[0].words == "prices of lium since 2026-10" ||
                range.prices[1].words == "prices of lium since 2026-10");
  }
  EXPECT_GT(named, 0);
}

/// Two plans on one offer, of one machine and of two, and one on another offer of the same provider.
TEST(PriceDoubt, PlansOfOneOfferShareIt) {
  const auto chances = [](const PriceDoubt& one, const PriceDoubt& two) {
    Job job = job_of(
        "goal: cheapest\nwhere: {nodes: [1, 2]}\nmarket: {use: only, offers: [{gpu: H100 SXM, gpus: 8, provider: "
        "lambda, "
        "region: a, price: $20/h}, {gpu: H100 SXM, gpus: 8, provider: lambda, region: b, price: $20.5/h}]}\n"
        "phases: {name: a, train: {model: Qwen/Qwen2.5-7B, data: {tokens: 100M}, sequence: 2048}, setup: {time: 10 "
        "min}}\n");
    MarketFilter filter;
    std::vector<Offer> market = market_for(job, known(), {}, filter);
    market.at(0).price_doubt = one;
    market.at(1).price_doubt = two;
    auto found = search(job, known(), market, {});
    std::vector<Plan>& plans = found->plans;
    std::vector<int> positions;
    for (std::size_t i = 0; i < plans.size(); ++i) positions.push_back(static_cast<int>(i));
    const Comparison comparison(job, plans, positions, known().errors, 0.5, 0);
    const auto at = [&](const char* region, int nodes) {
      for (std::size_t i = 0; i < plans.size(); ++i)
        if (plans[i].offer->region == region && plans[i].nodes == nodes) return comparison.find(static_cast<int>(i));
      return static_cast<const Comparison::One*>(nullptr);
    };
    const auto *a1 = at("a", 1), *a2 = at("a", 2), *b1 = at("b", 1);
    EXPECT_TRUE(a1 != nullptr && a2 != nullptr && b1 != nullptr);
    double least = 1e9, most = 0;  // of the ratio of two plans on one offer
    for (std::size_t i = 0; i < a1->samples.size(); ++i) {
      least = std::min(least, a2->samples[i] / a1->samples[i]);
      most = std::max(most, a2->samples[i] / a1->samples[i]);
    }
    struct {
      double spread, same_machine;
    } told{std::log(most / least), Comparison::chance_better(*a1, *b1)};
    return told;
  };
  const auto certain = chances({}, {}), aged = chances({0.3, 0}, {0.3, 0}), placed = chances({0.3, 0.2}, {0.3, 0.2});
  EXPECT_NEAR(placed.spread, certain.spread, 0.05) << "the price cancels in the ratio";
  EXPECT_EQ(certain.same_machine, 1) << "2 % cheaper, the same time";
  EXPECT_GT(aged.same_machine, 0.99) << "the lists of a provider move together";
  EXPECT_LT(placed.same_machine, 0.7) << "what one gets in the end does not";
  EXPECT_GT(placed.same_machine, 0.5);
}

}  // namespace
}  // namespace gpuplan
