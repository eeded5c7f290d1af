#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

Case micro_batch(const TrainPhase& p, Recompute recompute, const char* framework = "torch", int micro = 4) {
  Strategy s = strategy(1, micro, 1);
  s.recompute = recompute;
  return run(p, machine("H100 SXM", 1), s, framework);
}

TEST(TrainingActivations, FullRecomputationKeepsTheInputsOfLayers) {
  // 32 layers x 4096 elements x 2 bytes x 4 x 2048 tokens: 2 GiB.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  EXPECT_NEAR(micro_batch(p, Recompute::kFull).layer.activations.value, 2 * GiB.value, 1);
}

TEST(TrainingActivations, FullRecomputationHoldsOneLayerInBackward) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const LayerCost none = micro_batch(p, Recompute::kNone).layer;
  const LayerCost full = micro_batch(p, Recompute::kFull).layer;
  EXPECT_NEAR((full.one_layer - none.one_layer).value, (none.activations - full.activations).value / 32,
              1e-6 * none.activations.value)
      << "its input is kept in any case";
}

TEST(TrainingActivations, SelectiveRecomputationKeepsEverySecondProduct) {
  // Llama-3.1-8B, a layer and token: input and attention 2 x 4096; products 4096 + 2 x 1024, 4096, 2 x 14336, 4096.
  const TrainPhase p = phase(use_of("Llama-3.1-8B"), 8192);
  const double share = catalogue().training_constants.selective_kept;
  const double elements = 2 * 4096 + share * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096);
  const Case r = micro_batch(p, Recompute::kSelective, "torch", 1);
  EXPECT_NEAR(r.layer.activations.value, 32 * 8192 * 2 * elements, 1e4);
  EXPECT_GT(r.layer.activations, micro_batch(p, Recompute::kFull, "torch", 1).layer.activations);
}

TEST(TrainingActivations, MegatronDropsTheScoresOnly) {
  TrainPhase p = phase(gpt(24, 2048, 16, 51200), 2048);
  Strategy s = strategy(1, 4, 1);
  s.attention = AttentionKernel::kEager;
  const Case none = run(p, machine("H100 SXM", 1), s, "megatron");
  s.recompute = Recompute::kSelective;
  const Case selective = run(p, machine("H100 SXM", 1), s, "megatron");
  // 5 bytes a score (Korthikanti et al. 2022): 24 layers x 16 heads x 4 sequences x 2048^2.
  const double scores = 24.0 * 16 * 4 * 2048 * 2048 * catalogue().training_constants.score_bytes_fused;
  EXPECT_NEAR((none.layer.activations - selective.layer.activations).value, scores, 1e-6 * scores);
}

TEST(TrainingActivations, OneNormForAttentionAndMlpKeepsLess) {
  ModelUse parallel = gpt(24, 2048, 16, 51200);
  parallel.shape.norms_per_layer = 1;
  const Case one = micro_batch(phase(parallel, 1024), Recompute::kNone);
  const Case two = micro_batch(phase(gpt(24, 2048, 16, 51200), 1024), Recompute::kNone);
  // An input of a norm and an output: 2 x 2048 elements of 2 bytes a layer and token.
  const double kept = catalogue().training_constants.kept;
  EXPECT_NEAR((two.layer.activations - one.layer.activations).value, 24 * 4096.0 * 2 * 2048 * 2 * kept, 1e5);
}

TEST(TrainingActivations, EightBitKernelsKeepInputsOfProductsInEightBit) {
  const TrainPhase p = phase(use_of("Llama-3.1-8B"), 4096);
  Strategy s = strategy(1, 1, 1);
  const Case wide = run(p, machine("H100 SXM", 1), s, "megatron");
  s.precision = Precision::kFp8;
  const Case narrow = run(p, machine("H100 SXM", 1), s, "megatron");
  // A byte less for 2 x 4096 + 4096 + 14336 elements a layer and token; two copies of a byte a weight more.
  const double kept = catalogue().training_constants.kept_compiled;
  EXPECT_NEAR((wide.layer.activations - narrow.layer.activations).value, 32.0 * 4096 * (3 * 4096 + 14336) * kept, 1e5);
  EXPECT_NEAR((narrow.estimate.memory.weights - wide.estimate.memory.weights).value, 2 * 8030261248.0, 1e6);
  const Case pytorch = run(p, machine("H100 SXM", 1), s, "torchtitan");
  EXPECT_NEAR(pytorch.estimate.memory.weights.value, 4 * 8030261248.0, 1e6) << "converted for every product";
}

TEST(TrainingActivations, BusyExpertsGetMoreThanTheirShare) {
  const TrainPhase p = phase(use_of("Mixtral-8x7B"), 2048);
  Strategy s = strategy(8, 1, 1, Sharding::kZero3);
  const Case alone = run(p, machine("H100 SXM", 8), s, "megatron");
  s.ep = 8;
  const Case spread = run(p, machine("H100 SXM", 8), s, "megatron");
  EXPECT_GT(spread.layer.activations, alone.layer.activations);
  EXPECT_LT(spread.layer.activations, alone.layer.activations * catalogue().training_constants.expert_imbalance);
}

TEST(TrainingActivations, TensorParallelCutsWhatIsKept) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(1, 2, 1);
  const Case one = run(p, machine("H100 SXM", 8), s, "megatron");
  s.tp = 8;
  const Case eight = run(p, machine("H100 SXM", 8), s, "megatron");
  EXPECT_NEAR(eight.layer.activations.value, one.layer.activations.value / 8, 1e-6 * one.layer.activations.value);
  // What products read is gathered whole, and so is its gradient: 2 x 2 bytes x 4096 tokens x 4096 x 7 / 8.
  EXPECT_NEAR(eight.layer.one_layer.value - one.layer.one_layer.value / 8, 4.0 * 4096 * 4096 * 7 / 8, 1e4);
}

TEST(TrainingActivations, WithoutSequenceParallelismInputsOfLayersAreKeptWhole) {
  // Korthikanti et al. 2022, equations 2 and 4. 32 layers x 4096 elements x 2 bytes x 4096 tokens, on every rank.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(1, 2, 1);
  s.tp = 8;
  s.recompute = Recompute::kFull;
  const Case cut = run(p, machine("H100 SXM", 8), s, "megatron");
  const Case whole = run(p, machine("H100 SXM", 8), s, "megatron-deepspeed");
  EXPECT_NEAR(whole.layer.activations.value, 32.0 * 4096 * 2 * 4096, 1);
  EXPECT_NEAR(cut.layer.activations.value, whole.layer.activations.value / 8, 1);
  // Without recomputation two inputs of norms and two of products: 4 x 4096 elements a layer and token.
  s.recompute = Recompute::kNone;
  const Case none = run(p, machine("H100 SXM", 8), s, "megatron");
  const Case more = run(p, machine("H100 SXM", 8), s, "megatron-deepspeed");
  const double kept = catalogue().training_constants.kept_compiled;
  EXPECT_NEAR((more.layer.activations - none.layer.activations).value, 32.0 * 4096 * 4 * 4096 * 2 * kept * 7 / 8, 1e5);
  EXPECT_GT(more.layer.elementwise / more.rates.software, none.layer.elementwise / none.rates.software);
}

}  // namespace
}  // namespace gpuplan
