// What an API asks beside what a plan costs, by hand.
#include "plan/notes/api_prices.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

struct Asked {
  Job job;
  Catalogue catalogue;
  Plan plan;
};

/// 10M tokens out and 30M in, an hour of work and a quarter before it, $5.
Asked asked() {
  Asked result;
  GeneratePhase generate;
  generate.models.emplace_back();
  generate.models.front().shape.name = "M";
  Phase phase;
  phase.work = generate;
  result.job.phases.push_back(phase);
  PhaseEstimate estimate;
  estimate.work = exactly(Seconds{3600});
  estimate.extra = exactly(Seconds{900});
  estimate.tokens = 10e6;
  estimate.serving = Serving{};
  estimate.serving->output = exactly(TokensPerSecond{1000});
  estimate.serving->processed = exactly(TokensPerSecond{4000});
  PhasePlan part;
  part.estimate = Shared<PhaseEstimate>(std::move(estimate));
  result.plan.phases.push_back(std::move(part));
  result.plan.cost = {Dollars{4}, Dollars{5}, Dollars{6}, Dollars{5}};
  result.catalogue.api_prices = {{"M", "dear", Dollars{1}, Dollars{2}, "s", "2026-08"},
                                 {"M", "fair", Dollars{0.1}, Dollars{0.6}, "s", "2026-08"},
                                 {"N", "other", Dollars{0.01}, Dollars{0.01}, "s", "2026-08"}};
  return result;
}

TEST(ApiPrices, ByHand) {
  const Asked a = asked();
  const auto found = api_comparison(a.plan, a.job, a.catalogue);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->price->provider, "fair");
  EXPECT_NEAR(found->input_tokens, 30e6, 1);
  EXPECT_NEAR(found->api.value, 30 * 0.1 + 10 * 0.6, 1e-9);
  // $1 stands, $4 are the work: $9 - $4 are saved by 10M tokens, so 2M pay for what stands.
  EXPECT_NEAR(found->even_tokens, 2e6, 1);
  EXPECT_NEAR(found->own_per_million().value, 0.5, 1e-9);
}

TEST(ApiPrices, AtTheEvenNumberBothCostTheSame) {
  const Asked a = asked();
  const auto found = api_comparison(a.plan, a.job, a.catalogue);
  ASSERT_TRUE(found.has_value());
  const double scale = found->even_tokens / found->output_tokens;
  const double standing = 5 * 0.2, work = 5 * 0.8;
  EXPECT_NEAR(standing + work * scale, found->api.value * scale, 1e-9);
}

TEST(ApiPrices, AModelAndTheOneTaughtFromItAreOne) {
  for (const auto& [model, priced] : {std::pair("Q-7B", "Q-7B-Instruct"), std::pair("Q-7B-Instruct", "Q-7B"),
                                      std::pair("G-2b", "G-2b-it"), std::pair("C-Chat", "C")}) {
    Asked a = asked();
    std::get<GeneratePhase>(a.job.phases.front().work).models.front().shape.name = model;
    a.catalogue.api_prices.push_back({priced, "kin", Dollars{1}, Dollars{1}, "s", "2026-08"});
    EXPECT_EQ(api_comparison(a.plan, a.job, a.catalogue)->price->provider, "kin") << model;
    // Its own price comes first, whatever the other costs.
    a.catalogue.api_prices.push_back({model, "own", Dollars{9}, Dollars{9}, "s", "2026-08"});
    EXPECT_EQ(api_comparison(a.plan, a.job, a.catalogue)->price->provider, "own") << model;
  }
}

TEST(ApiPrices, NeverWhereTheWorkAloneCostsMore) {
  Asked a = asked();
  a.plan.cost.p50 = Dollars{12};  // 9.6 of it for the work
  const auto found = api_comparison(a.plan, a.job, a.catalogue);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->even_tokens, 0);
}

TEST(ApiPrices, OnlyTextOfOneModelThatIsServed) {
  Asked a = asked();
  a.catalogue.api_prices.erase(a.catalogue.api_prices.begin(), a.catalogue.api_prices.begin() + 2);
  const auto alone = api_comparison(a.plan, a.job, a.catalogue);
  ASSERT_TRUE(alone.has_value()) << "what a million tokens cost on the plan's machines needs no API";
  EXPECT_EQ(alone->price, nullptr);
  EXPECT_NEAR(alone->own_per_million().value, 0.5, 1e-9);
  a = asked();
  std::get<GeneratePhase>(a.job.phases.front().work).collect = true;
  EXPECT_FALSE(api_comparison(a.plan, a.job, a.catalogue));
  a = asked();
  a.plan.cost = {};
  EXPECT_FALSE(api_comparison(a.plan, a.job, a.catalogue));
  a = asked();
  a.job.phases.emplace_back();
  a.job.phases.back().work = TrainPhase{};
  EXPECT_FALSE(api_comparison(a.plan, a.job, a.catalogue));
}

}  // namespace
}  // namespace gpuplan
