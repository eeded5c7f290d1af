#include "api/gpuplan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuplan {
namespace {

const char* const kTunedJob =
    "phases:\n  - name: train\n    train: {model: Qwen2.5-7B, method: lora, data: {tokens: 10M}, epochs: 1, sequence: "
    "2048}\n";

Facts facts() {
  auto known = Facts::built_in();
  EXPECT_TRUE(known);
  return *std::move(known);
}

TEST(Library, AnswersOwnWhatTheyShow) {
  std::optional<PlanReply> kept;
  std::string before;
  {
    PlanQuestion question{.job = kTunedJob};
    auto reply = plan(facts(), question);
    ASSERT_TRUE(reply) << reply.error().message;
    before = reply->text(100);
    kept = *std::move(reply);
  }
  EXPECT_EQ(kept->text(100), before);
  EXPECT_EQ(kept->outcome(), PlanOutcome::kFound);
  ASSERT_TRUE(kept->pick());
  const std::vector<PlanSummary> plans = kept->plans();
  EXPECT_TRUE(std::ranges::any_of(plans, [&](const PlanSummary& one) { return one.id == kept->pick()->id; }));
  for (const PlanSummary& one : plans) {
    EXPECT_LT(one.hours.p10, one.hours.p90);
    EXPECT_LE(one.dollars.p10, one.dollars.p50);
  }
  EXPECT_NE(kept->why().front().find(kept->pick()->name), std::string::npos);
  EXPECT_NE(kept->json().find("gpuplan/plan@1"), std::string::npos);
}

TEST(Library, ThreadsChangeNoAnswer) {
  const Facts known = facts();
  const auto summary = [&](int threads) {
    std::string text;
    const auto reply = plan(known, {.job = kTunedJob, .threads = threads});
    for (const PlanSummary& one : reply->plans()) text += one.id + " " + std::to_string(one.dollars.p50) + "\n";
    return text;
  };
  EXPECT_EQ(summary(1), summary(4));
}

TEST(Library, WrongInputHasItsPlace) {
  const auto reply = plan(facts(), {.job = "phases:\n  - trian: {}\n", .job_name = "mine.yaml"});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().file, "mine.yaml");
  EXPECT_EQ(reply.error().line, 2);
  EXPECT_NE(reply.error().message.find("trian"), std::string::npos);
  EXPECT_FALSE(plan(facts(), {}));
  EXPECT_FALSE(plan(facts(), {.flags = {{"model", "Qwen2.5-7B"}, {"model", "Qwen2.5-7B"}}}));
}

TEST(Library, TablesTakeThePlaceOfThoseCompiledIn) {
  EXPECT_FALSE(Facts::with({{"gpus.csv", "nonsense"}}));
  EXPECT_FALSE(Facts::with({{"attic.csv", ""}}));
  const auto wrong = Facts::with({{"offers.csv", "provider,region\nshop,eu\n"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().file, "offers.csv");
}

TEST(Library, NothingThatFitsIsAnAnswer) {
  const auto reply = plan(facts(), {.job = kTunedJob, .set = {"where.gpus='RTX 3060'", "method=full"}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->outcome(), PlanOutcome::kNothingFits);
  EXPECT_FALSE(reply->pick());
  EXPECT_FALSE(reply->why().empty());
}

}  // namespace
}  // namespace gpuplan
