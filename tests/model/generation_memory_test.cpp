// Memory of generation, against sums worked by hand.
#include <gtest/gtest.h>

#include "model/generation/step.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

Bytes cache_of(const ModelShape& shape, double tokens, int tp = 1, int pp = 1, Format cache = Format::kFp16) {
  const Format weights = Format::kFp16;
  const Rig setup(h100(), phase_of(shape, Situation::kSingle, 1, 10, 10), "vllm", weights, cache);
  const GenerationCut cut = generation_cut(setup.work, setup.rates, strategy_of(1, tp, pp));
  return cache_memory(setup.work.networks.front(), setup.rates, cut, tokens);
}

Bytes weights_of(const ModelShape& shape, Format format, int tp = 1, int pp = 1, int ep = 1) {
  const Rig setup(h100(), phase_of(shape, Situation::kSingle, 1, 10, 10), "vllm", format);
  Strategy strategy = strategy_of(ep, tp, pp);
  strategy.ep = ep;
  const GenerationCut cut = generation_cut(setup.work, setup.rates, strategy);
  return weight_memory(setup.work.networks.front(), setup.rates, cut);
}

/// Of one GPU, without what is laid aside for alignment.
double plain_weights(const ModelShape& shape, const char* engine, int pp = 1) {
  const Rig setup(h100(), phase_of(shape, Situation::kSingle, 1, 10, 10), engine, Format::kFp16);
  const GenerationCut cut = generation_cut(setup.work, setup.rates, strategy_of(1, 1, pp));
  return weight_memory(setup.work.networks.front(), setup.rates, cut).value / setup.rates.constants->weight_padding;
}

TEST(GenerationMemory, TablesThatStayOnTheHostAreNotOnTheGpu) {
  const double table = 128256.0 * 4096 * 2;
  const ModelShape apart = llama_3_8b();
  EXPECT_NEAR(plain_weights(apart, "vllm") - plain_weights(apart, "llama.cpp"), table, 1);
  EXPECT_NEAR(plain_weights(apart, "vllm", 2), plain_weights(apart, "llama.cpp", 2), 1)
      << "the last stage has the head";
  ModelShape tied = llama_3_8b();
  tied.tied = true;
  EXPECT_NEAR(plain_weights(tied, "llama.cpp"), plain_weights(apart, "llama.cpp"), 1)
      << "the head is there, its copy for looking up is not";
}

TEST(GenerationMemory, CacheOfKnownModels) {
  EXPECT_DOUBLE_EQ(cache_of(llama_2_7b(), 1).value, 512.0 * 1024);     // 2 x 32 heads x 128 x 32 layers x 2 bytes
  EXPECT_DOUBLE_EQ(cache_of(llama_3_8b(), 1).value, 128.0 * 1024);     // 8 heads instead of 32
  EXPECT_DOUBLE_EQ(cache_of(deepseek_v3(), 1).value, 576.0 * 61 * 2);  // latent vector and rotary part
  EXPECT_DOUBLE_EQ(cache_of(llama_2_7b(), 1000).value, 1000 * 512.0 * 1024);
  EXPECT_DOUBLE_EQ(cache_of(llama_2_7b(), 1, 1, 1, Format::kFp8).value, 256.0 * 1024);
}

TEST(GenerationMemory, CacheIsSharedOutAsFarAsHeadsGo) {
  EXPECT_DOUBLE_EQ(cache_of(llama_3_8b(), 1, 4).value, 32.0 * 1024);
  EXPECT_DOUBLE_EQ(cache_of(llama_3_8b(), 1, 16).value, cache_of(llama_3_8b(), 1, 8).value);
  EXPECT_DOUBLE_EQ(cache_of(llama_3_8b(), 1, 1, 2).value, 64.0 * 1024);
  EXPECT_DOUBLE_EQ(cache_of(deepseek_v3(), 1, 8).value, cache_of(deepseek_v3(), 1, 1).value);
}

TEST(GenerationMemory, SlidingWindowsStopGrowing) {
  ModelShape shape = llama_3_8b();
  shape.window = 1024;
  shape.window_layers = 16;
  EXPECT_DOUBLE_EQ(cache_of(shape, 1024).value, cache_of(llama_3_8b(), 1024).value);
  EXPECT_DOUBLE_EQ(cache_of(shape, 4096).value, 64.0 * 1024 * 4096 + 64.0 * 1024 * 1024);
}

TEST(GenerationMemory, StatesDoNotGrow) {
  ModelShape shape = llama_3_8b();
  shape.states = {.layers = 24, .projected = 8192, .inner = 4096, .other = 0, .elements = 4096 * 128.0};
  shape.attention_free = 24;
  const double states = 24 * 4096 * 128 * 2.0;
  EXPECT_DOUBLE_EQ(cache_of(shape, 1).value, states + 32.0 * 1024);
  EXPECT_DOUBLE_EQ(cache_of(shape, 4096).value, states + 32.0 * 1024 * 4096);
  EXPECT_DOUBLE_EQ(cache_of(shape, 1, 1, 1, Format::kFp8).value, states + 16.0 * 1024);
}

TEST(GenerationMemory, TowersLieBesideTheWeights) {
  ModelShape shape = llama_3_8b();
  const Bytes plain = weights_of(shape, Format::kFp8);
  shape.beside = 1e9;
  EXPECT_NEAR((weights_of(shape, Format::kFp8) - plain).value / 2e9, 1, 0.03) << "in 16 bit, whatever the rest is in";
}

TEST(GenerationMemory, LoopsCacheEveryPassButStoreWeightsOnce) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kSingle, 1, 100, 100);
  const Rig once(h100(), phase);
  phase.models.front().loops = 4;
  const Rig looped(h100(), phase);
  const GenerationEstimate one = once.estimate(strategy_of(1)), four = looped.estimate(strategy_of(1));
  EXPECT_DOUBLE_EQ(four.memory.weights.value, one.memory.weights.value);
  EXPECT_DOUBLE_EQ(four.memory.kv_cache.value, 4 * one.memory.kv_cache.value);
  // The head is read once all the same.
  EXPECT_GT(four.parts.weights.value, 3.7 * one.parts.weights.value);
}

TEST(GenerationMemory, WeightsByFormat) {
  // 6,738,415,616 parameters, 1.5 % padding.
  EXPECT_NEAR(weights_of(llama_2_7b(), Format::kFp16).value, 6738415616.0 * 2 * 1.015, 1e6);
  const double tables = 2.0 * 32000 * 4096;
  EXPECT_NEAR(weights_of(llama_2_7b(), Format::kFp8).value, ((6738415616.0 - tables) + tables * 2) * 1.015, 1e6);
  EXPECT_NEAR(weights_of(llama_2_7b(), Format::kInt4).value,
              ((6738415616.0 - tables) * (4 + 20.0 / 128) / 8 + tables * 2) * 1.015, 1e6);
  EXPECT_LT(weights_of(llama_2_7b(), Format::kInt4), weights_of(llama_2_7b(), Format::kFp8));
  EXPECT_LT(weights_of(llama_2_7b(), Format::kFp8), weights_of(llama_2_7b(), Format::kFp16));
  EXPECT_LT(weights_of(llama_2_7b(), Format::kFp16), weights_of(llama_2_7b(), Format::kFp32));
}

TEST(GenerationMemory, WeightsByCut) {
  const Bytes whole = weights_of(llama_2_70b(), Format::kFp16);
  EXPECT_NEAR(weights_of(llama_2_70b(), Format::kFp16, 4) / whole, 0.25, 1e-12);
  const double half = weights_of(llama_2_70b(), Format::kFp16, 1, 2) / whole;
  EXPECT_GE(half, 0.5);
  EXPECT_LT(half, 0.51);
  // 80 layers over 3 stages: the fullest has 27.
  EXPECT_GT(weights_of(llama_2_70b(), Format::kFp16, 1, 3) / whole, 27.0 / 80 * 0.99);
  // Experts are split over the replicas that share them, the rest is not.
  const Bytes all = weights_of(mixtral(), Format::kFp16), split = weights_of(mixtral(), Format::kFp16, 1, 1, 4);
  const double experts = 32.0 * 8 * 3 * 4096 * 14336;
  EXPECT_NEAR((all - split).value, experts * 2 * 0.75 * 1.015, 1e6);
}

TEST(GenerationMemory, MixedCheckpointsKeepAllButExpertsIn16Bit) {
  const double experts = 32.0 * 8 * 3 * 4096 * 14336;
  const Bytes full = weights_of(mixtral(), Format::kFp16), mixed = weights_of(mixtral(), Format::kMxfp4);
  EXPECT_NEAR((full - mixed).value, experts * (2 - 4.25 / 8) * 1.015, 1e6);
}

TEST(GenerationMemory, GrowsLinearlyWithTheBatch) {
  const Rig setup(h100(), phase_of(llama_3_8b(), Situation::kStatic, 1000, 500, 500));
  const Bytes one = setup.estimate(strategy_of(1, 1, 1, 1)).memory.kv_cache;
  EXPECT_DOUBLE_EQ(setup.estimate(strategy_of(1, 1, 1, 10)).memory.kv_cache.value, 10 * one.value);
  EXPECT_DOUBLE_EQ(setup.estimate(strategy_of(1, 1, 1, 100)).memory.kv_cache.value, 100 * one.value);
  EXPECT_DOUBLE_EQ(one.value, 1000 * 128.0 * 1024);
}

TEST(GenerationMemory, LargestBatchFillsTheCardAndNotMore) {
  for (const Situation situation : {Situation::kSaturated, Situation::kStatic}) {
    const Rig setup(h100(), phase_of(llama_2_7b(), situation, 100000, 1500, 500));
    const GenerationEstimate estimate = setup.estimate(strategy_of(1));
    EXPECT_GT(estimate.batch, 20);
    EXPECT_LT(estimate.memory.total(), setup.gpu.usable * setup.rates.profile->memory_share);
    EXPECT_GT(estimate.memory.total(), setup.gpu.usable * 0.6);
  }
}

TEST(GenerationMemory, SaysWhatWouldBeNeededWhenNothingFits) {
  const Rig setup(rtx4090(), phase_of(llama_2_70b(), Situation::kSaturated, 1000, 500, 500));
  const GenerationEstimate estimate = setup.estimate(strategy_of(1));
  EXPECT_DOUBLE_EQ(estimate.batch, 1);
  EXPECT_GT(estimate.memory.total(), 128 * GiB);
}

TEST(GenerationMemory, CollectionOfASevenBillionModel) {
  // Hugging Face generate at batch 1 with kept activations: 13 GiB of weights, half a MiB of cache a token, and the
  // rest.
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 1500, 200, 512);
  phase.collect = true;
  phase.store = Store{16, 4096, Format::kFp16, "disk"};
  const Rig setup(rtx4090(), phase, "hf", Format::kFp16, Format::kFp16);
  const MemoryUse memory = setup.estimate(strategy_of(1)).memory;
  EXPECT_NEAR(memory.kv_cache / GiB, 712.0 / 2048, 1e-9);
  EXPECT_GT(memory.total() / GiB, 14.5);
  EXPECT_LT(memory.total() / GiB, 16.5);
}

}  // namespace
}  // namespace gpuplan
