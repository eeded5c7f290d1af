// Direct preference optimization: pairs of answers, and the network as it was before.
#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TrainPhase pairs(Method method = Method::kFull, int sequence = 1024) {
  TrainPhase p = phase(use_of("Qwen2.5-0.5B"), sequence, method);
  p.objective = Objective::kDpo;
  return p;
}

Case of(const TrainPhase& p, int micro) { return run(p, machine("H100 SXM", 1), strategy(1, micro, 1)); }

TEST(TrainingPairs, SamplesAreCountedInPairsOfTwoRows) {
  TrainPhase p = pairs();
  p.data.samples = 1000;
  p.data.tokens_per_sample = Length{300, 1024};
  p.batch = BatchSize{.sequences = 16, .tokens = {}};
  const auto work = training_work(p);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->sequences_total, 1000);
  EXPECT_EQ(work->samples_total, 1000);
  EXPECT_EQ(work->batch, 16);
  EXPECT_EQ(work->mean_tokens, 600);
  EXPECT_EQ(work->sequence, 2048);
  EXPECT_EQ(work->padded[0] > 600, true) << "the shorter answer is padded to the longer";
  p.data.samples.reset();
  p.data.tokens = Tokens{600'000};
  EXPECT_EQ(training_work(p)->sequences_total, 1000);
}

TEST(TrainingPairs, APairIsTwoRowsAndAPassMore) {
  // Without the network as it was, a micro-batch of m pairs is one of 2 m rows: same products, same attention.
  TrainPhase rows = pairs();
  rows.objective = Objective::kNextToken;
  const Case plain = of(rows, 8);
  const Case pair = of(pairs(), 4);
  EXPECT_EQ(pair.work.models.size(), 2U);
  EXPECT_EQ(pair.work.trainable, plain.work.trainable);
  EXPECT_EQ(pair.work.params, plain.work.params);
  const double more = pair.estimate.step.total().value / plain.estimate.step.total().value;
  EXPECT_GT(more, 1.15);
  EXPECT_LT(more, 1.45) << "a forward pass is a third of a step, and the optimizer has no part in it";
}

TEST(TrainingPairs, WeightsAreThereTwiceUnlessAdaptersLearn) {
  TrainPhase rows = pairs();
  rows.objective = Objective::kNextToken;
  const Case plain = of(rows, 8), pair = of(pairs(), 4);
  EXPECT_NEAR((pair.estimate.memory.weights - plain.estimate.memory.weights).value, 2 * plain.work.params,
              0.01 * plain.work.params);
  EXPECT_NEAR(pair.estimate.memory.activations.value, plain.estimate.memory.activations.value,
              0.05 * plain.estimate.memory.activations.value);
  TrainPhase adapters = pairs(Method::kLora);
  const Case lora_pair = of(adapters, 4);
  adapters.objective = Objective::kNextToken;
  const Case lora = of(adapters, 8);
  EXPECT_EQ(lora_pair.estimate.memory.weights, lora.estimate.memory.weights);
  EXPECT_GT(lora_pair.estimate.step.total(), lora.estimate.step.total());
}

TEST(TrainingPairs, AttentionEndsWithTheRow) {
  // One sequence of twice the length has twice the attention of two rows.
  TrainPhase twice = pairs(Method::kFull, 16384);
  twice.objective = Objective::kNextToken;
  const Case joined = of(twice, 1), pair = of(pairs(Method::kFull, 8192), 1);
  EXPECT_LT(pair.estimate.step.attention, joined.estimate.step.attention * 0.75);
}

}  // namespace
}  // namespace gpuplan
