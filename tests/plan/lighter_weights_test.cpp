#include "plan/advice/lighter_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "plan/searched.h"

namespace gpuplan {
namespace {

/// A model of 70B on one machine, whose place leaves room for few sequences in 16 bit.
std::string job(const std::string& more = "") {
  return "market: {use: only, offers: [{gpu: H100 SXM, gpus: 2, price: $5/h}]}\nphases:\n  - name: write\n    "
         "generate:\n      model: "
         "meta-llama/Llama-3.1-70B-Instruct\n      data: [{samples: 100k, prompt_tokens: 500, new_tokens: 300}]\n      "
         "engine: vllm\n" +
         more;
}

std::optional<LighterWeights> advice(const std::string& text) {
  const Searched searched(job_of(text));
  return lighter_weights(searched.job, known(), {}, searched.result.plans.front());
}

TEST(LighterWeights, TheFormatThatCostsLeastQualityIsNamedWhereItPays) {
  const Searched searched(job_of(job()));
  const Plan& plan = searched.result.plans.front();
  const auto lighter = lighter_weights(searched.job, known(), {}, plan);
  ASSERT_TRUE(lighter);
  EXPECT_EQ(lighter->format, Format::kFp8);
  EXPECT_LE(lighter->hours * 1.5, plan.hours.p50);
  // What is promised is what a search with it finds.
  const Searched then(job_of(job("      weights: fp8\n")));
  EXPECT_EQ(then.result.plans.front().hours.p50, lighter->hours);
  EXPECT_EQ(then.result.plans.front().cost.p50, lighter->cost);
}

TEST(LighterWeights, WhoSaidWhichIsNotAsked) {
  EXPECT_FALSE(advice(job("      weights: bf16\n")));
  EXPECT_FALSE(advice(job("    given: [{gpu: H100 SXM, tokens_per_second: 900}]\n"))) << "a figure of 16 bit";
}

TEST(LighterWeights, NothingIsSaidOfALittleGain) {
  std::string small = job();
  small.replace(small.find("3.1-70B"), 7, "3.2-1B");
  EXPECT_FALSE(advice(small)) << "its weights are little beside its sequences";
}

}  // namespace
}  // namespace gpuplan
