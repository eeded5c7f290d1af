// The price up to which a recommendation holds, against whole searches at prices just below and above it.
#include "plan/ranking/break_even.h"

#include <gtest/gtest.h>

#include "plan/ranking/ranking.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

std::optional<BreakEven> of(const Searched& all) { return break_even(all.job, all.result, compared_of(all)); }

/// Whether the pick is still on the same GPU of the same provider when these cost so many times as much.
bool stays(const Searched& all, double factor) {
  const Plan& pick = all.pick();
  std::vector<Offer> market;
  for (const Offer& offer : all.market) {
    Offer copy = offer;
    if (offer.kind == OfferKind::kRented && offer.gpu == pick.offer->gpu && offer.provider == pick.offer->provider) {
      auto& price = pick.spot ? copy.spot_price : copy.price;
      if (price) price = {price->p10 * factor, price->p50 * factor, price->p90 * factor};
      if (all.job.where.max_price && price && price->p50 > *all.job.where.max_price) continue;
    }
    market.push_back(std::move(copy));
  }
  const auto found = search(all.job, known(), market, {});
  const Plan& now = found->plans.at(static_cast<std::size_t>(found->recommendations.pick.value()));
  return now.offer != nullptr && now.offer->gpu == pick.offer->gpu && now.offer->provider == pick.offer->provider;
}

constexpr const char* kLora =
    "phases: {name: a, train: {model: Qwen/Qwen3-8B, method: lora, data: {tokens: 10M}, sequence: 2048}, setup: {time: "
    "10 min}}\n";
constexpr const char* kFull =
    "phases: {name: a, train: {model: Qwen/Qwen2.5-7B, data: {tokens: 100M}, sequence: 2048}, setup: {time: 10 min}}\n";
constexpr const char* kServe =
    "phases: {name: a, generate: {model: Qwen/Qwen2.5-7B, data: [{samples: 20000, prompt_tokens: 1000, new_tokens: "
    "50}],"
    " engine: vllm}}\n";

class BreakEvenPrice : public testing::TestWithParam<std::string> {};

TEST_P(BreakEvenPrice, IsWhereTheRecommendationChanges) {
  const Searched all(job_of(GetParam()));
  const auto found = of(all);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->now, *price_of(all.pick()));
  EXPECT_GE(found->price, found->now);
  EXPECT_TRUE(stays(all, found->price / found->now * 0.99));
  EXPECT_FALSE(stays(all, found->price / found->now * 1.01));
  EXPECT_TRUE(found->then->offer == nullptr || found->then->offer->gpu != all.pick().offer->gpu ||
              found->then->offer->provider != all.pick().offer->provider);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, BreakEvenPrice,
    testing::Values(kLora, std::string(kLora) + "goal: cheapest\n", std::string(kLora) + "value_of_time: $50/h\n",
                    kFull, std::string(kFull) + "goal: cheapest\n", std::string(kFull) + "limits: {budget: $60}\n",
                    std::string(kFull) + "where: {gpus: [H100 SXM, H200 SXM, B200], max_price: $40/h}\n", kServe,
                    std::string(kServe) + "where: {spot: only}\nspot: {interruptions: 5%/h}\n"));

TEST(BreakEven, IsNoneWhereNothingElseIs) {
  const char* one = "market: {use: only, offers: [{gpu: L4, provider: aws, price: $1/h}]}\n";
  EXPECT_FALSE(of(Searched(job_of(one + std::string(kLora)))));
  const char* two =
      "market: {use: only, offers: [{gpu: H100 SXM, provider: aws, price: $1/h}, {gpu: L4, provider: aws, price: "
      "$1/h}]}\n";
  EXPECT_TRUE(of(Searched(job_of(two + std::string(kLora)))));
  EXPECT_FALSE(of(Searched(job_of(two + std::string(kLora) + "goal: fastest\n")))) << "prices decide nothing";
  EXPECT_FALSE(of(Searched(job_of(two + std::string(kLora) + "commitments: {provider: aws, price: $0.5/h}\n"))));
}

TEST(BreakEven, CreditsPayFirst) {
  const std::string job = std::string(kFull) + "value_of_time: $5/h\n";
  const Searched without(job_of(job));
  const auto at_first = of(without);
  ASSERT_TRUE(at_first);
  const Plan& pick = without.pick();
  for (const double share : {0.3, 0.7}) {
    const std::string terms = "credits: {provider: " + pick.offer->provider + ", amount: $" +
                              std::to_string(pick.cost.p50.value * share) + "}\n";
    const Searched all(job_of(job + terms));
    ASSERT_EQ(all.pick().offer->provider, pick.offer->provider);
    ASSERT_GT(all.pick().credits.value, 0);
    const auto found = of(all);
    ASSERT_TRUE(found) << terms;
    EXPECT_TRUE(stays(all, found->price / found->now * 0.95)) << terms;
    EXPECT_FALSE(stays(all, found->price / found->now * 1.05)) << terms;
    // Credits of one provider speak for its other machines too.
    if (all.pick().offer->gpu == pick.offer->gpu && found->then->offer != nullptr &&
        found->then->offer->provider != pick.offer->provider) {
      EXPECT_GT(found->price, at_first->price) << terms;
    }
  }
}

}  // namespace
}  // namespace gpuplan
