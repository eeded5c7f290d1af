// Terms of training memory that are counted by how software works: copies, flat tensors, formats, what is frozen.
#include <gtest/gtest.h>

#include <cmath>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TEST(TrainingTerms, AutocastKeepsSixteenBitCopiesOfWeights) {
  // 2 bytes for each of 6,738,415,616 weights but the 131,072,000 of the embedding, which is looked up, not multiplied
  // ("6 bytes a parameter" in mixed precision, Hugging Face: anatomy of a model's memory). One GPU has no other
  // buffers.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  Strategy s = strategy(1, 4, 2);
  const double copies = 2 * (6738415616.0 - 131072000);
  EXPECT_NEAR(run(p, machine("B200", 1), s).estimate.memory.buffers.value, copies, 1e6);
  s.precision = Precision::kFp32;
  EXPECT_EQ(run(p, machine("B200", 1), s).estimate.memory.buffers.value, 0) << "products read them as they are";
  s.precision = Precision::kBf16;
  EXPECT_EQ(run(p, machine("B200", 1), s, "megatron").estimate.memory.buffers.value, 0) << "kept in 16 bit in any case";
  // Tied: the output matrix is the embedding, and is read by a product.
  const TrainPhase tied = phase(use_of("GPT-2"), 1024);
  const double all = count_parameters(tied.models[0].shape).total();
  EXPECT_NEAR(run(tied, machine("B200", 1), strategy(1, 64, 2)).estimate.memory.buffers.value, 2 * all, 1e6);
  // Recomputation drops them with the forward pass: the backward pass has those of a layer.
  s = strategy(1, 1, 2);
  s.recompute = Recompute::kFull;
  EXPECT_LT(run(phase(use_of("Llama-2-7B"), 64), machine("B200", 1), s).estimate.memory.buffers.value, copies + 1e6);
}

TEST(TrainingTerms, StepOfAFlatTensorCopiesGradients) {
  // 16-bit weights and gradients, 12 bytes of states; the step joins the gradients in 16 bit, then in 32: 2 + 2 + 12 +
  // 6 (InternEvo, hybrid_zero_optim.py; DeepSpeed, stage_1_and_2.py).
  const TrainPhase p = phase(use_of("Llama-2-7B"), 128);
  Strategy s = strategy(1, 1, 2);
  s.recompute = Recompute::kFull;
  for (const char* framework : {"internevo", "deepspeed"}) {
    const MemoryUse m = run(p, machine("B200", 1), s, framework).estimate.memory;
    EXPECT_NEAR((m.weights + m.gradients + m.optimizer + m.buffers).value, 22 * 6738415616.0, 1e7) << framework;
  }
  // Fully sharded, DeepSpeed takes 1e9 parameters at a time.
  s = strategy(2, 1, 2, Sharding::kZero3);
  s.recompute = Recompute::kFull;
  const MemoryUse m = run(p, machine("B200", 2), s, "deepspeed").estimate.memory;
  const double shared = 16 * 6738415616.0 / 2 + 4e9;
  EXPECT_NEAR((m.weights + m.gradients + m.optimizer + m.buffers).value, shared, 1.5e9) << "and what collectives take";
}

TEST(TrainingTerms, ACompiledStepAddsWholeGradients) {
  // MaxText's gradient_accumulation.py: a tree of 32-bit gradients is carried, another comes from each micro-batch. At
  // the end of the backward pass there are 4 bytes of weights, 8 of moments and 2 x 4 of gradients.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 128);
  Strategy s = strategy(1, 1, 2);
  s.recompute = Recompute::kFull;
  const auto held = [&] {
    const MemoryUse m = run(p, machine("B200", 1), s, "maxtext").estimate.memory;
    return (m.weights + m.gradients + m.optimizer + m.buffers).value;
  };
  const double layer = 2 * 2 * 6476271616.0 / 32;  // and 16-bit copies of two layers' weights
  EXPECT_NEAR(held(), 20 * 6738415616.0 + layer, 1e7);
  s.grad_accum = 1;
  EXPECT_LT(held(), 17 * 6738415616.0) << "nothing to add to";
}

TEST(TrainingTerms, FourBitProductsKeepWhatTheyRead) {
  // A layer's products read 3 x 4,096 + 11,008 elements. Kept in 8 bit they take a byte less each; in 4 bit with a
  // scale for 16 of them 2 - 0.5625, but for the layers that stay in 16 bit.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(1, 1, 2);
  const auto kept = [&](Precision precision, const char* framework) {
    s.precision = precision;
    return run(p, machine("B200", 1), s, framework).layer.activations.value;
  };
  const double wide = kept(Precision::kBf16, "megatron"), eight = kept(Precision::kFp8, "megatron");
  EXPECT_NEAR((wide - eight) / catalogue().training_constants.kept_compiled, 32.0 * 2048 * (3 * 4096 + 11008), 1e6);
  const double share = catalogue().training_constants.four_bit_layers;
  EXPECT_NEAR(wide - kept(Precision::kNvfp4, "megatron"), (wide - eight) * share * (2 - 0.5625), 1e6);
  // PyTorch's selective recomputation keeps outputs of the products it knows: of 16 and 8 bit.
  s.recompute = Recompute::kSelective;
  EXPECT_EQ(kept(Precision::kFp8, "torchtitan"), kept(Precision::kBf16, "torchtitan"));
  EXPECT_LT(kept(Precision::kNvfp4, "torchtitan"), kept(Precision::kBf16, "torchtitan"));
}

TEST(TrainingTerms, FrozenWeightsAreKnown) {
  // 6,738,415,616 parameters in 16 bit that do not learn.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512, Method::kLora);
  const Case lora = run(p, machine("RTX 4090", 1), strategy(1, 1, 1), "hf-trainer");
  const MemoryUse& m = lora.estimate.memory;
  EXPECT_NEAR(m.frozen.value, 2 * 6738415616.0, 1e6);
  EXPECT_LT(m.frozen, m.weights) << "the adapters learn";
  EXPECT_NEAR(memory_scale(m), std::sqrt(1 - m.frozen / m.total()), 1e-12);
  const Spread spread = at_scale(lora.spread, memory_scale(m));
  EXPECT_NEAR(spread.memory, lora.spread.memory * memory_scale(m), 1e-12);
  EXPECT_EQ(spread.time, lora.spread.time);
  // Full sharding shares them out, the host may hold them, and in full fine-tuning all learn.
  const MemoryUse shared =
      run(p, machine("RTX 4090", 2), strategy(2, 1, 1, Sharding::kZero3), "hf-trainer").estimate.memory;
  EXPECT_NEAR(shared.frozen.value, 6738415616.0, 1e6);
  Strategy offloaded = strategy(2, 1, 1, Sharding::kZero3);
  offloaded.offload = Offload::kParams;
  EXPECT_EQ(run(p, machine("RTX 4090", 2), offloaded, "hf-trainer").estimate.memory.frozen.value, 0);
  const TrainPhase full = phase(use_of("Llama-2-7B"), 512);
  const Case all = run(full, machine("B200", 1), strategy(1, 1, 1));
  EXPECT_EQ(all.estimate.memory.frozen.value, 0);
  EXPECT_EQ(memory_scale(all.estimate.memory), 1);
}

TEST(TrainingTerms, WhatLearnsBesideAdaptersTakesWhatTheyTake) {
  // Embedding and output matrix of PEFT's modules_to_save: weight, gradient and two moments of 32 bit.
  TrainPhase p = phase(use_of("Llama-2-7B"), 512, Method::kLora);
  const MemoryUse before = run(p, machine("B200", 1), strategy(1, 1, 2), "hf-trainer").estimate.memory;
  p.trainable = 2.0 * 32000 * 4096;
  const MemoryUse with = run(p, machine("B200", 1), strategy(1, 1, 2), "hf-trainer").estimate.memory;
  EXPECT_NEAR((with.weights - before.weights).value, 4 * *p.trainable, 1e3);
  EXPECT_NEAR((with.gradients - before.gradients).value, 4 * *p.trainable, 1e3);
  EXPECT_NEAR((with.optimizer - before.optimizer).value, 8 * *p.trainable, 1e3);
  EXPECT_EQ(with.frozen, before.frozen);
}

}  // namespace
}  // namespace gpuplan
