// Copies, shares, cuts and models apart: four things that a table of "34 GB / GPUs" takes for one.
#include "plan/capacity/placements.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/searched.h"

namespace gpuplan {
namespace {

Placements of(const Job& job, const std::string& gpu, const std::vector<int>& counts, int phase = 0) {
  auto found = placements_of(job, phase, known(), *known().find_gpu(gpu), counts);
  EXPECT_TRUE(found.has_value());
  return found ? *std::move(found) : Placements{};
}

const PlacementRow& row(const Placements& found, Layout layout, int gpus) {
  for (const PlacementRow& one : found.rows)
    if (one.layout == layout && one.gpus == gpus) return one;
  ADD_FAILURE() << name_of(layout) << " on " << gpus;
  static const PlacementRow none;
  return none;
}

double gib(Bytes size) { return size / units::GiB; }

TEST(Placements, FrozenModelsAreCopiedByDataParallelism) {
  // Llama-3.1-8B and Qwen2.5-7B: 8.03 G + 7.62 G parameters x 2 bytes are 29.1 GiB.
  const Placements found = of(example_job("latentwire"), "H100 SXM", {1, 2, 4});
  const PlacementRow& one = row(found, Layout::kOneGpu, 1);
  EXPECT_NEAR(gib(one.memory.weights), 29.1, 0.2);
  for (const int gpus : {2, 4}) {
    EXPECT_EQ(row(found, Layout::kReplicated, gpus).memory.weights, one.memory.weights) << gpus;
    EXPECT_NEAR(row(found, Layout::kFullySharded, gpus).memory.weights / one.memory.weights, 1.0 / gpus, 0.01);
    EXPECT_EQ(row(found, Layout::kOptimizerSharded, gpus).memory.weights, one.memory.weights) << gpus;
  }
  // A batch of 4 is shared: the activations are, the weights are not.
  EXPECT_EQ(row(found, Layout::kReplicated, 2).micro_batch, 2);
  EXPECT_EQ(row(found, Layout::kReplicated, 4).micro_batch, 1);
  EXPECT_NEAR(row(found, Layout::kReplicated, 2).memory.activations / one.memory.activations, 0.5, 0.01);
  EXPECT_GT(gib(row(found, Layout::kReplicated, 2).needed.p50), 0.9 * gib(one.needed.p50));
}

TEST(Placements, ModelsApartNeedTheLargerOfThem) {
  const Placements found = of(example_job("latentwire"), "H100 SXM", {2, 4});
  const PlacementRow& apart = row(found, Layout::kModelsApart, 2);
  ASSERT_EQ(apart.models.size(), 2U);
  EXPECT_EQ(apart.needed.p50, std::max(apart.models[0].second, apart.models[1].second));
  EXPECT_NEAR(gib(apart.memory.weights), 8.03e9 * 2 / (1024.0 * 1024 * 1024), 0.1) << "Llama alone";
  EXPECT_EQ(apart.micro_batch, 4) << "every model sees the whole batch";
  EXPECT_EQ(row(found, Layout::kModelsApart, 4).micro_batch, 2) << "two copies of each";
}

TEST(Placements, StatesAreSharedBeforeWeights) {
  // 8 G parameters in full: 4 + 4 bytes of weights and gradients and 8 of states a parameter.
  Job job = job_of(
      "phases: [{name: t, train: {model: llama-3.1-8b, data: {tokens: 10M}, epochs: 1, sequence: 2048, "
      "framework: torch, micro: 1, offload: none}}]\n");
  const Placements found = of(job, "H200 SXM", {8});
  const PlacementRow& copies = row(found, Layout::kReplicated, 8);
  const PlacementRow& states = row(found, Layout::kOptimizerSharded, 8);
  const PlacementRow& all = row(found, Layout::kFullySharded, 8);
  EXPECT_NEAR(copies.memory.optimizer / states.memory.optimizer, 8, 0.05);
  EXPECT_EQ(copies.memory.weights, states.memory.weights);
  EXPECT_NEAR(copies.memory.weights / all.memory.weights, 8, 0.05);
  EXPECT_LT(all.needed.p50, states.needed.p50);
  EXPECT_LT(states.needed.p50, copies.needed.p50);
  EXPECT_TRUE(all.fits);
}

TEST(Placements, WhatDoesNotRunSaysWhy) {
  const Placements uneven = of(example_job("latentwire"), "H100 SXM", {8});  // a batch of 4
  EXPECT_EQ(row(uneven, Layout::kReplicated, 8).why_not, "batch 4 is not divisible by 8");
  EXPECT_EQ(row(uneven, Layout::kReplicated, 8).needed.p50, Bytes{});
  Job lora = job_of(
      "phases: [{name: t, train: {model: llama-3.1-8b, method: lora, data: {tokens: 10M}, epochs: 1, "
      "sequence: 2048}}]\n");
  const PlacementRow cut = row(of(lora, "H100 SXM", {2}), Layout::kTensorParallel, 2);
  ASSERT_NE(cut.framework, nullptr) << cut.why_not;
  EXPECT_TRUE(cut.framework->tensor && cut.framework->lora) << "by name alone, but it does it";
  EXPECT_NE(cut.framework, row(of(lora, "H100 SXM", {2}), Layout::kReplicated, 2).framework);
  lora.phases.front().work = [&] {
    TrainPhase train = std::get<TrainPhase>(lora.phases.front().work);
    train.framework = "hf-trainer";
    return train;
  }();
  EXPECT_EQ(row(of(lora, "H100 SXM", {2}), Layout::kTensorParallel, 2).why_not.substr(0, 37),
            "hf-trainer has no tensor parallelism;");
}

/// What differs between rows is the layout: one framework keeps and frees the same in all of them.
TEST(Placements, RowsDifferByTheLayoutAlone) {
  for (const char* const card : {"L40S", "A100 SXM 80GB", "RTX 4090"})
    for (const char* const keys : {"method: lora, sequence: 8192", "method: qlora, sequence: 2048", "sequence: 1024",
                                   "method: lora, sequence: 4096, recompute: none"}) {
      const Placements found =
          of(job_of("phases: [{name: t, train: {model: qwen2.5-7b, data: {tokens: 10M}, epochs: 1, " +
                    std::string(keys) + "}}]\n"),
             card, {1, 2, 4});
      const PlacementRow* first = nullptr;
      for (const PlacementRow& one : found.rows) {
        if (one.needed.p50 <= Bytes{} || one.layout == Layout::kTensorParallel) continue;
        const std::string where = std::string(card) + " " + keys + " " + std::string(name_of(one.layout));
        ASSERT_NE(one.framework, nullptr) << where;
        if (first == nullptr) first = &one;
        EXPECT_EQ(one.framework, first->framework) << where;
        // What full shards gather lies beside the activations, and may be what the peak is.
        if (one.layout == Layout::kFullySharded || one.recomputed != first->recomputed) continue;
        if (one.micro_batch != first->micro_batch) continue;
        // Nor are they there where a step of the optimizer is the peak.
        if ((one.memory.activations > Bytes{}) != (first->memory.activations > Bytes{})) continue;
        EXPECT_NEAR(gib(one.memory.activations), gib(first->memory.activations), 0.1) << where;
      }
    }
}

TEST(Placements, TooMuchIsShownWithWhatItNeeds) {
  Job job = job_of(
      "phases: [{name: t, train: {model: llama-3.1-8b, data: {tokens: 10M}, epochs: 1, sequence: 2048, "
      "micro: 1, offload: none}}]\n");
  const PlacementRow one = row(of(job, "RTX 4090", {1}), Layout::kOneGpu, 1);
  EXPECT_FALSE(one.fits);
  EXPECT_FALSE(one.tight);
  EXPECT_GT(gib(one.needed.p50), 100);
}

TEST(Placements, GenerationIsCutOrCopied) {
  const Placements found = of(example_job("collection"), "RTX 3090", {1, 4});
  const PlacementRow& one = row(found, Layout::kOneGpu, 1);
  EXPECT_EQ(row(found, Layout::kReplicated, 4).memory.weights, one.memory.weights);
  EXPECT_NEAR(row(found, Layout::kTensorParallel, 4).memory.weights / one.memory.weights, 0.25, 0.01);
  EXPECT_EQ(row(found, Layout::kModelsApart, 4).memory.weights, one.memory.weights) << "all four are alike";
  EXPECT_EQ(row(found, Layout::kModelsApart, 4).models.size(), 4U);
}

TEST(Effort, GrowsWithWhatThereIsToUnderstand) {
  Phase train;
  train.work = TrainPhase{};
  PhaseEstimate estimate;
  estimate.gpus = 1;
  EXPECT_EQ(effort_of(estimate, train), Effort::kOneProcess);
  estimate.gpus = estimate.strategy.dp = 8;
  EXPECT_EQ(effort_of(estimate, train), Effort::kDataParallel);
  estimate.strategy.sharding = Sharding::kZero3;
  EXPECT_EQ(effort_of(estimate, train), Effort::kSharded);
  estimate.nodes = 2;
  EXPECT_EQ(effort_of(estimate, train), Effort::kSeveralMachines);
  estimate.nodes = 1;
  estimate.strategy.tp = 2;
  EXPECT_EQ(effort_of(estimate, train), Effort::kModelParallel);
  EXPECT_EQ(grade_of(Effort::kModelParallel), "high");

  Phase generate;
  generate.work = GeneratePhase{};
  estimate.strategy = {.dp = 4};
  EXPECT_EQ(effort_of(estimate, generate), Effort::kReplicas);
  std::get<GeneratePhase>(generate.work).models.resize(4);
  estimate.strategy.placement = Placement::kOneModelPerGpu;
  EXPECT_EQ(effort_of(estimate, generate), Effort::kModelsApart);
}

}  // namespace
}  // namespace gpuplan
