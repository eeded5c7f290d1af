// Replicas, placement of several models, and collection of activations.
#include <gtest/gtest.h>

#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

TEST(GenerationPlacement, ReplicasShareTheSamples) {
  const GeneratePhase phase = phase_of(llama_3_8b(), Situation::kSingle, 1000, 100, 100);
  const GenerationEstimate one = estimate(h100(), phase, strategy_of(1)),
                           four = estimate(h100(), phase, strategy_of(4));
  EXPECT_NEAR(four.parts.total().value * 4, one.parts.total().value, 1e-9 * one.parts.total().value);
  EXPECT_NEAR(four.tokens_per_second, 4 * one.tokens_per_second, 1e-9 * four.tokens_per_second);
  EXPECT_DOUBLE_EQ(four.replica_tokens_per_second, one.replica_tokens_per_second);
  EXPECT_DOUBLE_EQ(four.replicas, 4);
  // Three samples on two replicas: the busier one has two.
  const GeneratePhase odd = phase_of(llama_3_8b(), Situation::kSingle, 3, 100, 100);
  EXPECT_NEAR(estimate(h100(), odd, strategy_of(2)).parts.total() / estimate(h100(), odd, strategy_of(1)).parts.total(),
              2.0 / 3, 1e-12);
}

TEST(GenerationPlacement, PlacementOfSeveralModels) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kSingle, 100, 100, 100);
  const double single = estimate(h100(), phase, strategy_of(1)).parts.total().value;
  for (int i = 0; i < 3; ++i) phase.models.push_back(phase.models.front());

  const auto run = [&](int replicas, Placement placement) {
    Strategy strategy = strategy_of(replicas);
    strategy.placement = placement;
    return estimate(h100(), phase, strategy);
  };
  const GenerationEstimate turn = run(4, Placement::kInTurn);
  EXPECT_DOUBLE_EQ(turn.rounds, 4);
  EXPECT_NEAR(turn.parts.total().value, single, 1e-9 * single);  // four models on a quarter of the samples each

  const GenerationEstimate own = run(4, Placement::kOneModelPerGpu);
  EXPECT_DOUBLE_EQ(own.rounds, 1);
  EXPECT_NEAR(own.parts.total().value, single, 1e-9 * single);

  EXPECT_DOUBLE_EQ(run(1, Placement::kOneModelPerGpu).rounds, 4);
  EXPECT_NEAR(run(1, Placement::kOneModelPerGpu).parts.total().value, 4 * single, 1e-8 * single);
  EXPECT_DOUBLE_EQ(run(3, Placement::kOneModelPerGpu).rounds, 2);
  EXPECT_NEAR(run(3, Placement::kOneModelPerGpu).parts.total().value, 2 * single, 1e-8 * single);
  EXPECT_NEAR(run(8, Placement::kOneModelPerGpu).parts.total().value, single / 2, 1e-8 * single);
  EXPECT_NEAR(run(6, Placement::kOneModelPerGpu).parts.total().value, single, 1e-8 * single);  // two idle
  EXPECT_NEAR(run(8, Placement::kOneModelPerGpu).tokens_per_second, 8 * 100 * 100 / 2.0 / (single / 2) / 1.0, 1);
}

TEST(GenerationPlacement, DifferentModelsOnOneReplicaAddUp) {
  GeneratePhase small = phase_of(llama_3_8b(), Situation::kSingle, 100, 100, 100);
  GeneratePhase large = phase_of(mixtral(), Situation::kSingle, 100, 100, 100);
  GeneratePhase both = small;
  both.models.push_back(large.models.front());
  const GenerationEstimate a = estimate(h100(), small, strategy_of(1)), b = estimate(h100(), large, strategy_of(1)),
                           c = estimate(h100(), both, strategy_of(1));
  EXPECT_NEAR(c.parts.total().value, (a.parts.total() + b.parts.total()).value, 1e-9 * c.parts.total().value);
  EXPECT_DOUBLE_EQ(c.memory.total().value, b.memory.total().value);  // one at a time: the larger decides
}

TEST(GenerationPlacement, EagerHostBoundsOneSequenceOnEveryCard) {
  // The collection job: no card, however fast, gets beyond what Python can launch.
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 1500, 200, 512);
  phase.collect = true;
  phase.store = Store{16, 4096, Format::kFp16, "disk"};
  for (const Gpu& gpu : {rtx4090(), a100(), h100()}) {
    const GenerationEstimate result = estimate(gpu, phase, strategy_of(1), "hf", Format::kFp16);
    EXPECT_GT(result.tokens_per_second, 20) << gpu.name;
    EXPECT_LT(result.tokens_per_second, 45) << gpu.name;
    EXPECT_GT(result.parts.store.value, 1500 * 93e6 / 1.5e9);
  }
}

TEST(GenerationPlacement, HooksCostGraphEnginesTheirGraphs) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 100, 200, 512);
  const double plain = rate(h100(), phase, strategy_of(1));
  phase.store = Store{16, 4096, Format::kFp16, "memory"};
  EXPECT_LT(rate(h100(), phase, strategy_of(1)), 0.6 * plain);
}

TEST(GenerationPlacement, DiskIsSharedByTheMachine) {
  GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 1000, 200, 512);
  phase.store = Store{16, 4096, Format::kFp16, "disk"};
  const Seconds one = estimate(h100(), phase, strategy_of(1)).parts.store,
                four = estimate(h100(), phase, strategy_of(4)).parts.store;
  EXPECT_GT(four.value, 0.9 * one.value);  // a quarter of the samples, each four times slower
  phase.store->to = "memory";
  EXPECT_LT(estimate(h100(), phase, strategy_of(1)).parts.store.value, 0.1 * one.value);
}

TEST(GenerationPlacement, ForwardPassesAreAllPrefill) {
  GeneratePhase phase = phase_of(llama_3_8b(), Situation::kSaturated, 1000, 1000, 0);
  phase.forward_only = true;
  const GenerationEstimate result = estimate(h100(), phase, strategy_of(1));
  EXPECT_DOUBLE_EQ(result.parts.weights.value + result.parts.kv_reads.value + result.parts.compute.value, 0);
  EXPECT_DOUBLE_EQ(result.memory.kv_cache.value, 0);
  // 2 x 7.5e9 x 1e6 operations at no more than the peak, and no less than a fifth of it.
  const double least = 2 * 7.5e9 * 1e6 / 989.4e12;
  EXPECT_GT(result.parts.total().value, least);
  EXPECT_LT(result.parts.total().value, 5 * least);
  EXPECT_NEAR(result.tokens_per_second, 1e6 / result.parts.total().value, 1e-6 * result.tokens_per_second);
}

TEST(GenerationPlacement, LoadingIsToldButNotPartOfTheWork) {
  const GeneratePhase phase = phase_of(llama_2_7b(), Situation::kSingle, 10, 100, 100);
  const GenerationEstimate result = estimate(h100(), phase, strategy_of(1));
  EXPECT_NEAR(result.load.value, 6738415616.0 * 2 * 1.015 / 1.5e9, 0.01);
}

}  // namespace
}  // namespace gpuplan
