#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TrainingWork work_of(const TrainPhase& phase) {
  const auto work = training_work(phase);
  EXPECT_TRUE(work) << (work ? "" : work.error().message);
  return work ? *work : TrainingWork{};
}

std::string work_error(const TrainPhase& phase) {
  const auto work = training_work(phase);
  return work ? "" : work.error().message;
}

TEST(TrainingWork, SamplesTimesEpochs) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048);
  p.data.samples = 1000;
  p.epochs = 3;
  const TrainingWork w = work_of(p);
  EXPECT_EQ(w.sequences_total, 3000);
  EXPECT_EQ(w.samples_total, 3000);
  EXPECT_EQ(w.mean_tokens, 2048);
}

TEST(TrainingWork, VariableLengthsMeanForTimeMaximumForMemory) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 8192);
  p.data.tokens_per_sample = Length{300, 20000};
  const TrainingWork w = work_of(p);
  EXPECT_EQ(w.mean_tokens, 300);
  EXPECT_EQ(w.sequence, 8192) << "longer samples are cut";
  p.data.tokens_per_sample = Length{300, 1000};
  EXPECT_EQ(work_of(p).sequence, 1000) << "no sample is longer";
}

TEST(TrainingWork, PaddingGrowsWithTheMicroBatchUpToTheLongest) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 1024);
  p.data.tokens_per_sample = Length{300, 1024};
  const TrainingWork w = work_of(p);
  EXPECT_NEAR(w.padded[0], 300, 1e-9);
  for (int i = 1; i < 11; ++i) EXPECT_GT(w.padded[i], w.padded[i - 1]);
  EXPECT_LE(w.padded[10], 1024);
}

TEST(TrainingWork, PackingJoinsSamples) {
  // 8000 samples of 512 tokens fill 2000 sequences of 2048.
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048);
  p.data.samples = 8000;
  p.data.tokens_per_sample = Length{512, 4096};
  p.data.packing = true;
  const TrainingWork w = work_of(p);
  EXPECT_EQ(w.sequences_total, 2000);
  EXPECT_EQ(w.samples_total, 8000);
  EXPECT_EQ(w.mean_tokens, 2048);
  EXPECT_EQ(w.padded[5], 2048);
}

TEST(TrainingWork, StepsWithBatchInTokens) {
  // 524,288 tokens of 2048 are 256 sequences; 1000 steps.
  TrainPhase p = phase(gpt(12, 768, 12, 65536), 2048);
  p.data = {};
  p.steps = 1000;
  p.batch = BatchSize{std::nullopt, Tokens{524288}};
  const TrainingWork w = work_of(p);
  EXPECT_EQ(w.batch, 256);
  EXPECT_EQ(w.sequences_total, 256000);
}

TEST(TrainingWork, StepsAtBatchFixTheWork) {
  TrainPhase p = phase(gpt(6, 384, 6, 32000), 256);
  p.steps = 10000;
  p.steps_at_batch = 256;
  EXPECT_EQ(work_of(p).sequences_total, 2560000);
  EXPECT_EQ(work_of(p).batch, 0) << "the batch itself stays free";
}

TEST(TrainingWork, TokensOfAPretrainingRun) {
  TrainPhase p = phase(use_of("GPT-2"), 1024);
  p.data = {};
  p.data.tokens = Tokens{10e9};
  EXPECT_DOUBLE_EQ(work_of(p).sequences_total, 10e9 / 1024);
}

TEST(TrainingWork, WhatIsMissingIsSaid) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048);
  p.data = {};
  EXPECT_EQ(work_error(p), "train has no amount of work; set `steps`, or `data` with `samples` or `tokens`");
  p.steps = 100;
  EXPECT_EQ(work_error(p), "`steps` also needs a batch; set `batch`, or `steps_at_batch`");
  p.sequence.reset();
  EXPECT_EQ(work_error(p), "train needs a sequence length; set `sequence` (tokens) or `data.tokens_per_sample`");
  p.models.clear();
  EXPECT_EQ(work_error(p), "train needs a `model`");
  TrainPhase frozen = phase(use_of("Llama-3.1-8B"), 2048, Method::kFrozen);
  frozen.models[0].frozen = true;
  EXPECT_EQ(work_error(frozen),
            "nothing is trained; set `trainable` (parameters) next to the frozen models, or another `method`");
}

TEST(TrainingWork, FrozenModelsWithAdapterBetweenThem) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 96, Method::kFrozen);
  p.models[0].frozen = p.models[0].gradient_through = true;
  p.models.push_back(use_of("Qwen2.5-7B"));
  p.models[1].frozen = true;
  p.trainable = 768 * 256 + 256 * 4096 + 256 * 3584;
  const TrainingWork w = work_of(p);
  EXPECT_EQ(w.trainable, 2162688);
  EXPECT_EQ(w.learn.total(), 2162688);
  EXPECT_TRUE(w.models[0].backward_inputs);
  EXPECT_FALSE(w.models[0].backward_weights);
  EXPECT_FALSE(w.models[1].backward_inputs);
  EXPECT_NEAR(w.base.total(), 8.03e9 + 7.615e9, 0.01e9);
}

TEST(TrainingWork, ParametersAreAllPlaced) {
  for (const char* name : {"Llama-2-7B", "GPT-2", "Mixtral-8x7B", "DeepSeek-V3", "BERT-large"}) {
    TrainPhase p = phase(use_of(name), 512);
    const TrainingWork w = work_of(p);
    EXPECT_NEAR(w.learn.total(), w.params, 1e-6 * w.params) << name;
    EXPECT_EQ(w.trainable, w.params) << name;
  }
}

TEST(TrainingWork, ProductsHoldTheLayerParameters) {
  // Every weight matrix of the layers is one product: elements x layers are the parameters without biases and norms.
  for (const char* name : {"Llama-2-7B", "Llama-3.1-8B", "DeepSeek-V3", "Mixtral-8x7B"}) {
    TrainPhase p = phase(use_of(name), 512);
    const TrainingWork w = work_of(p);
    double elements = 0;
    for (const Product& q : w.models[0].products) elements += q.columns * q.inner * q.count;
    for (const Product& q : w.models[0].expert_products)
      elements += q.columns * q.inner * q.count * w.models[0].experts;
    const ParameterCount& c = w.models[0].params;
    EXPECT_NEAR(elements, c.attention + c.mlp + c.experts + c.shared, 0.001 * elements) << name;
  }
}

}  // namespace
}  // namespace gpuplan
