// The longest context that fits.
#include "plan/capacity/longest_context.h"

#include <gtest/gtest.h>

#include "plan/capacity/fit.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

FitRow row_of(const std::string& model, const std::string& gpu, const std::string& keys) {
  Job job = job_of("job: t\nphases: [{name: a, generate: {model: " + model +
                   ", data: [{samples: 100, prompt_tokens: 500, new_tokens: 300}], " + keys + "}}]");
  job.where.gpus = {{gpu, 0}};
  const auto rows = fit_phase(job, 0, known(), {1});
  return rows && !rows->empty() ? rows->front() : FitRow{};
}

TEST(LongestContext, AllOfTheModelOnALargeCard) {
  const FitRow row = row_of("Llama-3.1-8B", "H100 SXM", "situation: single");
  ASSERT_TRUE(row.context);
  EXPECT_EQ(row.context->tokens, 131072);
  EXPECT_TRUE(row.context->whole);
  EXPECT_FALSE(row.context_at_batch) << "one sequence is all there is";
}

TEST(LongestContext, LessOnASmallOneAndWithSeveral) {
  const FitRow row = row_of("Llama-3.1-8B", "RTX 4090", "situation: static, batch: 2");
  ASSERT_TRUE(row.context && row.context_at_batch);
  EXPECT_FALSE(row.context->whole);
  EXPECT_GT(row.context->tokens, 4000);
  EXPECT_LT(row.context->tokens, 131072);
  EXPECT_EQ(row.context_at_batch->sequences, 2);
  EXPECT_LT(row.context_at_batch->tokens, row.context->tokens);
  EXPECT_GT(row.context_at_batch->tokens, row.context->tokens / 4);
}

TEST(LongestContext, IsWhatFits) {
  const FitRow row = row_of("Llama-3.1-8B", "RTX 4090", "situation: single, engine: vllm");
  ASSERT_TRUE(row.context);
  const auto fits = [](int tokens) {
    Job job = job_of(
        "job: t\nphases: [{name: a, generate: {model: Llama-3.1-8B, engine: vllm, situation: single, data: "
        "[{samples: 100, prompt_tokens: " +
        std::to_string(tokens - 300) + ", new_tokens: 300}]}}]");
    job.where.gpus = {{"RTX 4090", 0}};
    const auto rows = fit_phase(job, 0, known(), {1});
    return rows && holds(rows->front());
  };
  EXPECT_TRUE(fits(row.context->tokens));
  EXPECT_FALSE(fits(row.context->tokens + 2));
}

TEST(LongestContext, ASmallerCacheGivesMore) {
  const FitRow sixteen = row_of("Llama-3.1-8B", "RTX 4090", "situation: single, engine: vllm");
  const FitRow eight = row_of("Llama-3.1-8B", "RTX 4090", "situation: single, engine: vllm, kv_cache: fp8");
  ASSERT_TRUE(sixteen.context && eight.context);
  EXPECT_GT(eight.context->tokens, sixteen.context->tokens);
}

}  // namespace
}  // namespace gpuplan
