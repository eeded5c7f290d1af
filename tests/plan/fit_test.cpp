// Which GPUs hold a phase, how much more fits, and what would make it fit.
#include "plan/capacity/fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

Job full_training(const std::string& model, const std::string& more = "") {
  const std::string length = model.starts_with("gpt2") ? "1024" : "2048";  // as many positions as it has
  return job_of("phases: [{name: train, train: {model: " + model +
                ", data: {tokens: 10M}, epochs: 1, sequence: " + length + more + "}}]\n");
}

std::vector<FitRow> rows_of(Job job, const std::string& gpu, const std::vector<int>& counts) {
  job.where.gpus = {{gpu, 0}};
  auto rows = fit_phase(job, 0, known(), counts);
  EXPECT_TRUE(rows.has_value());
  return rows ? *std::move(rows) : std::vector<FitRow>{};
}

TEST(Fit, AMoreThanFullGpuHoldsNothing) {
  // 8 G parameters x 16 bytes of weights, gradients and AdamW are 120 GiB.
  const auto rows = rows_of(full_training("llama-3.1-8b", ", offload: none"), "RTX 4090", {1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].best);
  EXPECT_EQ(rows[0].largest_micro_batch, 0);
  EXPECT_GT(rows[0].nearest.needed, rows[0].nearest.usable);
}

TEST(Fit, LoraAndQloraNeedLess) {
  const auto lora = rows_of(full_training("llama-3.1-8b", ", method: lora"), "A100 SXM 80GB", {1});
  const auto qlora = rows_of(full_training("llama-3.1-8b", ", method: qlora, micro: 1"), "A100 SXM 80GB", {1});
  const auto lora_one = rows_of(full_training("llama-3.1-8b", ", method: lora, micro: 1"), "A100 SXM 80GB", {1});
  ASSERT_TRUE(lora[0].best && qlora[0].best && lora_one[0].best);
  EXPECT_LT(qlora[0].best->memory_total.p50, lora_one[0].best->memory_total.p50);
  // 16-bit weights alone: 8.03 G x 2 bytes = 15.0 GiB.
  EXPECT_NEAR(lora[0].best->memory.weights / units::GiB, 15, 0.8);
}

/// Whichever framework holds most of them: the one that `best` runs under may hold fewer.
TEST(Fit, TheLargestBatchFitsAndOneMoreDoesNot) {
  for (const char* const card : {"A100 SXM 80GB", "L40S"})
    for (const char* const model : {"gpt2", "gpt2-xl", "llama-3.2-1b"})
      for (const char* const keys : {", method: full", ", method: lora", ", method: qlora", ", framework: torch"}) {
        const Job job = full_training(model, std::string(keys) + ", micro: auto");
        const auto rows = rows_of(job, card, {1});
        ASSERT_TRUE(rows[0].best) << card << " " << model << keys;
        const int most = rows[0].largest_micro_batch;
        const std::string how =
            std::string(", offload: ") + std::string(name_of(rows[0].best->strategy.offload)) +
            (rows[0].best->lighter ? ", optimizer: adam8bit, master_weights: bf16" : ", master_weights: fp32");
        const std::string accumulate = rows[0].best->strategy.grad_accum > 1 ? "2" : "1";
        const auto at = [&](int micro) {
          const Job changed =
              full_training(model, keys + how + ", accumulate: " + accumulate + ", micro: " + std::to_string(micro));
          return rows_of(changed, card, {1})[0];
        };
        const auto fits = [](const FitRow& row) { return row.best && row.best->fit == Fit::kFits; };
        // Those that nobody thinks of may hold more.
        const auto usual = [&](const FitRow& row) {
          return fits(row) && (row.best->framework->fine_tune > 0 || row.best->framework->pretrain > 0);
        };
        EXPECT_TRUE(most == 0 || fits(at(most))) << card << " " << model << keys << " " << most;
        EXPECT_FALSE(usual(at(most + 1))) << card << " " << model << keys << " " << most;
      }
}

/// `plan` takes larger micro-batches by other frameworks and formats: the two do not deny each other.
TEST(Fit, WhatAPlanOfLargerMicroBatchesTakesIsTold) {
  int told = 0;
  for (const char* const card : {"A100 SXM 80GB", "RTX 4090", "L40S"})
    for (const char* const model : {"gpt2-xl", "Qwen2.5-1.5B", "llama-3.2-1b"})
      for (const char* const keys : {", method: full", ", method: lora"}) {
        const auto row = rows_of(full_training(model, std::string(keys) + ", micro: auto"), card, {1})[0];
        if (!row.best || row.largest_micro_batch == 0) continue;
        const std::string where = std::string(card) + " " + model + keys;
        const std::string micro = ", micro: " + std::to_string(row.largest_micro_batch + 1);
        const auto planned = rows_of(full_training(model, keys + micro), card, {1})[0];
        const auto differs = [&](const PhaseEstimate& other) {
          const PhaseEstimate& best = *row.best;
          return other.framework != best.framework || other.lighter != best.lighter ||
                 other.strategy.offload != best.strategy.offload;
        };
        EXPECT_EQ(row.otherwise.has_value(), holds(planned) && differs(*planned.best)) << where;
        if (!row.otherwise) continue;
        ++told;
        EXPECT_TRUE(differs(*row.otherwise))
            << where << ": " << described(*row.otherwise) << " is the setup of the row";
      }
  EXPECT_GT(told, 0);
}

/// 32 bits are faster on such cards; what has no room so may have it in 16.
TEST(Fit, WhatHasNoRoomIn32BitMayHaveItIn16) {
  const auto precision = [](const std::string& keys) {
    const auto row = rows_of(full_training("Yi-6B", ", method: lora, offload: none, micro: 1" + keys), "P40", {1})[0];
    return row.best ? std::optional(row.best->strategy.precision) : std::nullopt;
  };
  EXPECT_EQ(precision(", precision: fp32"), std::nullopt);
  EXPECT_EQ(precision(""), Precision::kFp16);
  const auto small = rows_of(full_training("qwen2.5-1.5b", ", method: lora, offload: none"), "P40", {1})[0];
  ASSERT_TRUE(small.best);
  EXPECT_EQ(small.best->strategy.precision, Precision::kFp32);
}

TEST(Fit, TheLargestPartStopsOneMore) {
  const auto row = rows_of(full_training("gpt2-xl", ", micro: auto, recompute: none"), "A100 SXM 80GB", {1})[0];
  ASSERT_TRUE(row.best && row.limit);
  EXPECT_EQ(row.limit->sequences, row.largest_micro_batch + 1);
  // 1.56 G parameters take 23 GiB of weights, gradients and states; every sequence of 2048 tokens takes gigabytes more.
  EXPECT_TRUE(row.limit->part == "activations" || row.limit->part == "logits") << row.limit->part;
  EXPECT_GT(row.limit->size, row.limit->usable * 0.3);
  EXPECT_GT(row.limit->needed, row.limit->size);
  EXPECT_GT(row.limit->needed, row.limit->usable * 0.7) << "near the limit, not far beyond";
}

TEST(Fit, WhereNothingFitsTheNearestTryTellsWhatStopsIt) {
  const auto row = rows_of(full_training("llama-3.1-8b", ", offload: none"), "RTX 4090", {1})[0];
  ASSERT_FALSE(row.best);
  ASSERT_TRUE(row.limit);
  const MemoryUse& use = row.nearest.memory;
  EXPECT_EQ(row.limit->part, largest_part(use).name);
  for (const MemoryPart& part : kMemoryParts) EXPECT_LE(use.*part.size, row.limit->size) << part.name;
  EXPECT_EQ(row.limit->needed, row.nearest.needed);
}

TEST(Fit, AMachineWithTooLittleMemoryOfItsOwnDoesNotRun) {
  // The checkpoint of 15 GiB is read into the host's memory, beside a process and its workers.
  const Job job = full_training("llama-3.1-8b", ", method: lora, micro: 1, framework: hf-trainer");
  NodeShape node = common_box(known(), *known().find_gpu("A100 SXM 80GB"), 1);
  const auto tried = [&](Bytes ram, Tally& tally) {
    node.ram = ram;
    return try_phase(job, 0, known(), Machines{node, 1, 1, true}, tally);
  };
  Tally small, large, unknown;
  EXPECT_FALSE(tried(16 * units::GiB, small));
  EXPECT_GT(small.rejected[static_cast<std::size_t>(Misfit::kHostMemory)], 0);
  const auto runs = tried(32 * units::GiB, large);
  ASSERT_TRUE(runs);
  EXPECT_GT(runs->host_memory, 16 * units::GiB);
  EXPECT_LT(runs->host_memory, 32 * units::GiB);
  EXPECT_TRUE(tried(Bytes{}, unknown)) << "not known is no reason";
}

TEST(Fit, TheCacheStopsAnEngine) {
  Job job = job_of(
      "phases: [{name: g, generate: {model: llama-2-7b, situation: static, batch: 8, data: [{samples: 100000, "
      "prompt_tokens: 2000, new_tokens: 2000}]}}]\n");
  const auto row = rows_of(job, "A100 SXM 80GB", {1})[0];
  ASSERT_TRUE(row.best && row.limit);
  EXPECT_EQ(row.limit->part, "KV cache") << "2 GiB a sequence of 4000 tokens beside 12.6 GiB of weights";
}

TEST(Fit, MoreGpusNeedLessEach) {
  const auto rows =
      rows_of(full_training("llama-3.1-8b", ", micro: 1, parallel: {sharding: zero3}"), "H100 SXM", {2, 4, 8});
  ASSERT_EQ(rows.size(), 3U);
  ASSERT_TRUE(rows[1].best && rows[2].best);
  EXPECT_LT(rows[2].best->memory.optimizer, rows[1].best->memory.optimizer);
  EXPECT_NEAR(rows[1].best->memory.optimizer / rows[2].best->memory.optimizer, 2, 0.01);
}

TEST(Fit, TheHostHoldsWhatOneGpuCanNot) {
  const auto rows = rows_of(full_training("llama-3.2-3b"), "RTX 4090", {1});
  ASSERT_TRUE(rows.at(0).best);
  EXPECT_TRUE(includes(rows[0].best->strategy.offload, Offload::kOptimizer));
  EXPECT_GT(rows[0].best->host_memory, 3.2e9 * 12 * units::byte) << "32-bit weights and two states";
  // Nobody says how much memory the host has: three times that of the GPU, so not the 100 GB of 8 billion parameters.
  EXPECT_FALSE(rows_of(full_training("llama-3.1-8b"), "RTX 4090", {1}).at(0).best);
}

TEST(Fit, RemediesAreTriedNotPromised) {
  const Job job = full_training("llama-3.1-8b");
  const auto row = rows_of(job, "RTX 4090", {1})[0];
  ASSERT_FALSE(row.best);
  const auto found = remedies(job, known(), row.nearest);
  const auto remedy = [&](std::string_view text) {
    const auto it = std::ranges::find_if(found, [&](const Remedy& r) { return r.change.starts_with(text); });
    return it == found.end() ? nullptr : &*it;
  };
  ASSERT_NE(remedy("method: qlora"), nullptr);
  EXPECT_TRUE(remedy("method: qlora")->enough) << "4 GiB of weights";
  ASSERT_NE(remedy("8 GPUs"), nullptr);
  EXPECT_TRUE(remedy("8 GPUs")->enough) << "a share of 15 GiB of states, and the optimizer in host memory";
  ASSERT_NE(remedy("sequence: 1,024"), nullptr);
  EXPECT_FALSE(remedy("sequence: 1,024")->enough) << "weights and gradients alone are more than 24 GiB";
  EXPECT_GT(remedy("sequence: 1,024")->needed, row.nearest.usable);
  for (const Remedy& r : found) EXPECT_TRUE(!r.enough || r.needed < row.nearest.usable) << r.change;
  // What a remedy is called is what was tried: full sharding is data parallelism alone.
  for (const Remedy& r : found)
    EXPECT_TRUE(!r.change.starts_with("parallel: zero3") || r.change.find("pp ") == std::string::npos) << r.change;
}

TEST(Fit, RemediesAreForMachinesThatThereAre) {
  Job job = full_training("llama-3.1-8b");
  const auto row = rows_of(job, "RTX 4090", {1})[0];
  ASSERT_FALSE(row.best);
  const auto remedies_with = [&](const std::vector<int>& counts) {
    std::vector<Offer> market;
    for (const int gpus : counts) {
      Offer offer;
      offer.provider = "shop";
      offer.gpu = "RTX 4090";
      offer.gpus = gpus;
      offer.price = exactly(DollarsPerSecond{1e-4});
      market.push_back(offer);
    }
    return remedies(job, known(), row.nearest, market);
  };
  const auto names_eight = [](const std::vector<Remedy>& found) {
    return std::ranges::any_of(found, [](const Remedy& r) { return r.change.starts_with("8 GPUs"); });
  };
  EXPECT_TRUE(names_eight(remedies_with({1, 8})));
  EXPECT_FALSE(names_eight(remedies_with({1, 4}))) << "no such machine is on offer";
}

TEST(Fit, GenerationNamesTheSequencesItHolds) {
  Job job = job_of(
      "phases: [{name: g, generate: {model: llama-3.1-8b, data: [{samples: 100, prompt_tokens: 500, new_tokens: "
      "500}]}}]\n");
  const auto small = rows_of(job, "RTX 4090", {1})[0];
  const auto large = rows_of(job, "H100 SXM", {1})[0];
  ASSERT_TRUE(small.best && large.best);
  EXPECT_GT(large.largest_micro_batch, 4 * small.largest_micro_batch) << "80 GB less 15 of weights against 24 less 15";
}

TEST(Fit, TheLargestBatchNeedsNoMoreSamplesThanThereAre) {
  const auto largest = [](const std::string& samples) {
    return rows_of(job_of("phases: [{name: g, generate: {model: gpt2, situation: single, data: [{samples: " + samples +
                          ", prompt_tokens: 512, new_tokens: 512}]}}]\n"),
                   "RTX 3060", {1})[0]
        .largest_micro_batch;
  };
  EXPECT_EQ(largest("50"), largest("1M")) << "memory does not depend on it";
  EXPECT_LT(largest("50"), 1000) << "36 MiB a sequence";
}

TEST(Fit, TheSmallestCountThatHoldsItIsEnough) {
  Job job = full_training("Qwen2.5-32B", ", method: lora, micro: 1, offload: none");
  job.where.gpus = {{"RTX 4090", 0}, {"H100 SXM", 0}, {"RTX 3060", 0}};
  const auto rows = smallest_counts(job, 0, known(), {1, 2, 4});
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 3U);
  for (const FitRow& row : *rows) {
    job.where.gpus = {{row.node.gpu->name, 0}};
    int fewest = 0;
    const auto every = fit_phase(job, 0, known(), {1, 2, 4});
    for (const FitRow& one : *every)
      if (fewest == 0 && holds(one)) fewest = one.gpus;
    if (fewest > 0) EXPECT_EQ(row.gpus, fewest) << row.node.gpu->name;
    else EXPECT_EQ(row.gpus, 4) << row.node.gpu->name << ": the last one tried";
  }
  EXPECT_TRUE(holds(rows->front()));
  EXPECT_FALSE(holds(rows->back())) << "what no count holds comes last";
}

}  // namespace
}  // namespace gpuplan
