// Speeds that the job states for some GPUs tell of others.
#include "plan/capacity/given_evidence.h"

#include <gtest/gtest.h>

#include <string>

#include "base/interval.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// A job on four and eight H100 and eight A100; `given` is what it states.
Job job_with(const std::string& given) {
  return job_of(
      "market:\n  use: only\n  offers:\n"
      "    - {provider: a, gpu: H100 SXM, gpus: 8, price: $24/h}\n"
      "    - {provider: b, gpu: H100 SXM, gpus: 4, price: $12/h}\n"
      "    - {provider: c, gpu: A100 SXM 80GB, gpus: 8, price: $12/h}\n"
      "phases:\n  - name: train\n"
      "    train: {model: Qwen2.5-7B, method: full, data: {tokens: 1B}, sequence: 4096, batch: 64}\n" +
      (given.empty() ? "" : "    given: [{gpu: H100 SXM, gpus: 8, " + given + "}]\n"));
}

const PhaseEstimate& estimate(const Searched& searched, const std::string& label) {
  return *searched.plan(label)->phases.front().estimate;
}

double times(const Searched& now, const Searched& before, const std::string& label) {
  return estimate(now, label).work.p50 / estimate(before, label).work.p50;
}

TEST(GivenEvidence, ASlowFigureSlowsWhatIsPredictedOnOtherCounts) {
  const Searched plain(job_with(""));
  const Searched slow(job_with("seconds_per_step: 7 s, exact: true"));
  const PhaseEstimate& stated = estimate(slow, "8x H100 SXM");
  EXPECT_EQ(stated.evidence, Evidence::kGiven);
  EXPECT_TRUE(stated.work.exact()) << "its own configuration is as it was said";
  EXPECT_DOUBLE_EQ((stated.work.p50 / stated.steps).value, 7);
  EXPECT_GT(times(slow, plain, "4x H100 SXM"), 1.15);
  EXPECT_LT(times(slow, plain, "4x H100 SXM"), stated.work.p50 / estimate(plain, "8x H100 SXM").work.p50)
      << "a part of it is that configuration's own";
  EXPECT_GT(times(slow, plain, "8x A100 SXM 80GB"), 1.05);
  EXPECT_LT(times(slow, plain, "8x A100 SXM 80GB"), times(slow, plain, "4x H100 SXM")) << "another GPU shares less";
  EXPECT_EQ(estimate(slow, "4x H100 SXM").evidence, Evidence::kCalibrated);
}

TEST(GivenEvidence, AFigureAsPredictedNarrows) {
  const Searched plain(job_with(""));
  const Seconds step = estimate(plain, "8x H100 SXM").work.p50 / estimate(plain, "8x H100 SXM").steps;
  const Searched same(job_with("seconds_per_step: " + std::to_string(step.value) + " s, exact: true"));
  EXPECT_NEAR(times(same, plain, "4x H100 SXM"), 1, 0.01);
  EXPECT_LT(sigma_of(estimate(same, "4x H100 SXM").work), 0.8 * sigma_of(estimate(plain, "4x H100 SXM").work));
}

TEST(GivenEvidence, EveryFormOfASpeedTellsTheSame) {
  // 3,815 steps of 64 sequences of 4,096 tokens.
  const Searched steps(job_with("seconds_per_step: 7 s, exact: true"));
  const Searched tokens(job_with("tokens_per_second: 37449 tokens/s, exact: true"));
  const Searched samples(job_with("samples_per_second: 9.1429 samples/s, exact: true"));
  for (const Searched* other : {&tokens, &samples}) EXPECT_NEAR(times(*other, steps, "4x H100 SXM"), 1, 0.01);
}

TEST(GivenEvidence, TheOutsideOfTheRangeIsThatOfTheModelWithoutIt) {
  const Searched plain(job_with(""));
  const Searched slow(job_with("seconds_per_step: 10 s, exact: true"));
  ASSERT_TRUE(estimate(slow, "8x H100 SXM").model_interval);
  EXPECT_EQ(*estimate(slow, "8x H100 SXM").model_interval, estimate(plain, "8x H100 SXM").work);
}

TEST(GivenEvidence, IgnoredFiguresTellNothing) {
  const Searched plain(job_with(""));
  SearchOptions options;
  options.ignore_given = true;
  const Searched ignored(job_with("seconds_per_step: 10 s"), options);
  for (const char* label : {"4x H100 SXM", "8x H100 SXM", "8x A100 SXM 80GB"})
    EXPECT_EQ(estimate(ignored, label).work, estimate(plain, label).work) << label;
}

TEST(GivenEvidence, TheMarketHasNoPartInIt) {
  Job job = job_with("seconds_per_step: 10 s");
  const Searched all(job);
  std::erase_if(job.market.offers, [](const Offer& offer) { return offer.gpus == 8; });
  const Searched few(job);
  EXPECT_EQ(estimate(few, "4x H100 SXM").work, estimate(all, "4x H100 SXM").work);
}

}  // namespace
}  // namespace gpuplan
