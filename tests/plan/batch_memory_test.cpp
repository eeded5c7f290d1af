// Memory by the number of sequences at once, against what is known without a model.
#include "plan/capacity/batch_memory.h"

#include <gtest/gtest.h>

#include "plan/searched.h"

namespace gpuplan {
namespace {

std::vector<BatchRow> rows_of(const Job& job, const std::vector<int>& batches, int count = 1) {
  auto rows = memory_by_batch(job, 0, known(), batches, count);
  EXPECT_TRUE(rows.has_value());
  return rows ? *std::move(rows) : std::vector<BatchRow>{};
}

Job train_job(const std::string& more, const std::vector<std::string>& gpus) {
  Job job = job_of(
      "phases: [{name: t, train: {model: {params: 25M, layers: 6, hidden: 384}, data: {samples: 50_000}, "
      "epochs: 1, sequence: 256, precision: bf16" +
      more + "}}]\n");
  for (const std::string& gpu : gpus) job.where.gpus.push_back({gpu, 0});
  return job;
}

TEST(BatchMemory, GrowsByTheSameForEverySequence) {
  const auto rows = rows_of(train_job(", framework: torch", {"H200 SXM", "RTX 4090"}), {64, 128, 192});
  ASSERT_EQ(rows.size(), 3U);
  const double first = (rows[1].needed.p50 - rows[0].needed.p50).value;
  EXPECT_GT(first, 0);
  EXPECT_NEAR((rows[2].needed.p50 - rows[1].needed.p50).value, first, 0.01 * first);
}

TEST(BatchMemory, EveryCardThatHoldsABatchIsNamedAndNoOther) {
  const auto rows =
      rows_of(train_job("", {"H200 SXM", "A100 SXM 80GB", "RTX 4090", "RTX A4000"}), {32, 128, 1024, 8192});
  ASSERT_EQ(rows.size(), 4U);
  for (const BatchRow& row : rows) {
    ASSERT_EQ(row.gpus.size(), 4U);
    EXPECT_EQ(row.gpus[0].gpu->name, "RTX A4000") << "smallest first";
    for (const BatchHolder& holder : row.gpus) {
      const bool holds = row.needed.p90 <= holder.gpu->usable;
      EXPECT_EQ(holder.fits() && !holder.at_a_price, holds) << row.sequences << " on " << holder.gpu->name;
      if (!holder.fits()) continue;
      EXPECT_LE(holder.best->memory_total.p90, holder.gpu->usable);
      EXPECT_EQ(holder.best->strategy.micro_batch, row.sequences);
    }
  }
  EXPECT_TRUE(rows[0].gpus[0].fits());
  EXPECT_FALSE(rows[3].gpus[3].fits());
}

TEST(BatchMemory, SavingMemoryIsAPriceUnlessTheJobPaysItAnyway) {
  const std::vector<std::string> card = {"H100 SXM"};
  // The first batch that the card holds at a price only.
  int batch = 32;
  std::vector<BatchRow> free;
  for (; batch < 4096; batch += 32) {
    free = rows_of(train_job("", card), {batch});
    if (!free[0].gpus[0].fits() || free[0].gpus[0].at_a_price) break;
  }
  ASSERT_TRUE(free[0].gpus[0].fits()) << batch;
  EXPECT_TRUE(free[0].gpus[0].at_a_price);
  const PhaseEstimate& saving = *free[0].gpus[0].best;
  EXPECT_TRUE(saving.strategy.recompute > Recompute::kNone || saving.lighter) << batch;
  const auto asked = rows_of(train_job(", recompute: full", card), {batch});
  ASSERT_TRUE(asked[0].gpus[0].fits());
  EXPECT_FALSE(asked[0].gpus[0].at_a_price);
  EXPECT_LT(asked[0].needed.p50, free[0].needed.p50);
  const auto none = rows_of(train_job(", recompute: none, offload: none", card), {batch});
  EXPECT_FALSE(none[0].gpus[0].fits());
}

TEST(BatchMemory, WhatNoCardHoldsIsStillKnown) {
  const auto rows = rows_of(train_job("", {"RTX 4090"}), {4096});
  EXPECT_TRUE(rows[0].needed.exact()) << "only the median";
  EXPECT_GT(rows[0].needed.p50, 100 * units::GiB);
}

TEST(BatchMemory, GenerationKeepsACacheForEverySequence) {
  // 32 layers x 8 heads x 128 x 2 x 2 bytes are 128 KiB a token.
  Job job = job_of(
      "phases: [{name: g, generate: {model: llama-3.1-8b, engine: vllm, situation: static, "
      "data: [{samples: 10, prompt_tokens: 1000, new_tokens: 1000}]}}]\n");
  job.where.gpus = {{"H100 SXM", 0}};
  const auto rows = rows_of(job, {1, 17, 33});
  const Bytes cache = rows[1].gpus[0].best->memory.kv_cache - rows[0].gpus[0].best->memory.kv_cache;
  EXPECT_NEAR(cache / (16 * 2000 * 131072.0 * units::byte), 1, 0.05) << "although there are only 10 samples";
}

TEST(BatchMemory, AsksForWhatTheJobMustSay) {
  Job job = train_job("", {"RTX 4090"});
  std::get<TrainPhase>(job.phases[0].work).epochs.reset();
  std::get<TrainPhase>(job.phases[0].work).data = {};
  const auto rows = memory_by_batch(job, 0, known(), {1}, 1);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().message,
            "phases.t: train has no amount of work; set `steps`, or `data` with `samples` or `tokens`");
}

}  // namespace
}  // namespace gpuplan
