#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

TEST(TrainingMemory, Llama2FullFineTuningInMixedPrecision) {
  // 6,738,415,616 parameters, PyTorch with 32-bit weights: 4 + 4 + 8 bytes = 107.8 GB (ZeRO paper: 16 a parameter).
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const MemoryUse m = run(p, machine("B200", 1), strategy(1, 1, 2)).estimate.memory;
  EXPECT_NEAR((m.weights + m.gradients + m.optimizer).value, 16 * 6738415616.0, 1e6);
  EXPECT_NEAR(m.weights.value, 4 * 6738415616.0, 1e6);
  EXPECT_NEAR(m.optimizer.value, 8 * 6738415616.0, 1e6);
}

TEST(TrainingMemory, MegatronKeepsEighteenBytesAParameter) {
  // bf16 weights, fp32 gradients, master weights and two moments: 2 + 4 + 4 + 8 (Megatron-LM documentation).
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const MemoryUse m = run(p, machine("B200", 1), strategy(1, 1, 2), "megatron").estimate.memory;
  EXPECT_NEAR((m.weights + m.gradients + m.optimizer).value, 18 * 6738415616.0, 1e6);
}

TEST(TrainingMemory, ZeroStagesOfThePaper) {
  // Rajbhandari et al. 2020, figure 1: 7.5 B parameters on 64 GPUs, 2 + 2 + 12 bytes: 120 GB, 31.4, 16.6 and 1.9 GB.
  ModelUse use = gpt(36, 4096, 32, 51200);
  use.shape.extra = 7.5e9 - count_parameters(use.shape).total();
  const TrainPhase p = phase(use, 512);
  const double gb[] = {120, 31.4, 16.6, 1.88};
  for (int stage = 0; stage < 4; ++stage) {
    const Case r =
        run(p, machine("A100 SXM 80GB", 8, 1600), strategy(64, 1, 2, static_cast<Sharding>(stage)), "deepspeed");
    const MemoryUse& m = r.estimate.memory;
    EXPECT_NEAR((m.weights + m.gradients + m.optimizer).value / 1e9, gb[stage], 0.02 * gb[stage]) << stage;
  }
}

TEST(TrainingMemory, QloraHoldsFourBitsAndScales) {
  // 6,476,005,376 layer weights at 4.5 bits, 262 M embedding and head parameters at 2 bytes: 4.17 GB.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512, Method::kQlora);
  const MemoryUse m = run(p, machine("RTX 4090", 1), strategy(1, 1, 1), "hf-trainer").estimate.memory;
  EXPECT_NEAR(m.weights.value, 6476271616.0 * 0.5625 + 262144000 * 2.0 + 39976960 * 2.0, 3e6);
  EXPECT_LT(m.total(), 12 * GiB) << "fits a 16 GiB card (QLoRA: 7B on consumer cards)";
}

TEST(TrainingMemory, OptimizersKeepWhatTheyKeep) {
  TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const auto bytes = [&](Optimizer o) {
    p.optimizer = {o, o};
    const Case r = run(p, machine("B200", 1), strategy(1, 1, 2));
    return r.estimate.memory.optimizer.value / r.work.params;
  };
  EXPECT_NEAR(bytes(Optimizer::kAdamW), 8, 1e-6);
  EXPECT_NEAR(bytes(Optimizer::kAdam8bit), 2.1, 1e-6);
  EXPECT_NEAR(bytes(Optimizer::kLion), 4, 1e-6);
  EXPECT_NEAR(bytes(Optimizer::kSgd), 4, 1e-6);
  // Muon on matrices, AdamW on the rest: between the two.
  p.optimizer = {Optimizer::kMuon, Optimizer::kAdamW};
  const Case r = run(p, machine("B200", 1), strategy(1, 1, 2));
  EXPECT_GT(r.estimate.memory.optimizer.value / r.work.params, 4);
  EXPECT_LT(r.estimate.memory.optimizer.value / r.work.params, 4.3);
}

TEST(TrainingMemory, OffloadMovesStatesToTheHost) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  Strategy s = strategy(8, 1, 2, Sharding::kZero2);
  const Case here = run(p, machine("A100 SXM 80GB", 8), s, "deepspeed");
  s.offload = Offload::kOptimizer;
  const Case there = run(p, machine("A100 SXM 80GB", 8), s, "deepspeed");
  EXPECT_EQ(there.estimate.memory.optimizer.value, 0);
  EXPECT_EQ(here.estimate.host_memory.value, 0);
  // All eight ranks together hold every parameter once: 32-bit weight, gradient and two moments.
  EXPECT_NEAR(there.estimate.host_memory.value, 16 * 6738415616.0, 1e6);
  EXPECT_GT(there.estimate.step.offload.value, 0);
  EXPECT_EQ(here.estimate.step.offload.value, 0);
}

TEST(TrainingMemory, PipelineKeepsMicroBatchesInFlight) {
  TrainPhase p = phase(gpt(96, 12288, 96, 51200), 2048);
  Strategy s = strategy(1, 1, 64);
  s.tp = 8;
  s.pp = 8;
  const Case r = run(p, machine("A100 SXM 80GB", 8, 1600), s, "megatron");
  // First stage: an eighth of the layers, eight micro-batches in flight.
  EXPECT_NEAR(r.estimate.memory.activations.value, r.layer.activations.value, 1);
  s.grad_accum = 2;
  const Case few = run(p, machine("A100 SXM 80GB", 8, 1600), s, "megatron");
  EXPECT_LT(few.estimate.memory.total(), r.estimate.memory.total());
}

TEST(TrainingMemory, Laws) {
  EXPECT_TRUE(rc::check("sharding more never takes more, parts are not negative", [] {
    const char* models[] = {"Llama-2-7B", "GPT-2", "Mixtral-8x7B", "Qwen2.5-0.5B"};
    const char* frameworks[] = {"torch", "deepspeed", "megatron", "torchtune"};
    const TrainPhase p = phase(use_of(models[*rc::gen::inRange(0, 4)]), 128 << *rc::gen::inRange(0, 6));
    const char* framework = frameworks[*rc::gen::inRange(0, 4)];
    const NodeShape node = machine("H100 SXM", 8, 3200);
    Strategy s = strategy(1 << *rc::gen::inRange(1, 6), 1 << *rc::gen::inRange(0, 5), *rc::gen::inRange(1, 9));
    s.compile = *rc::gen::arbitrary<bool>();
    s.recompute = static_cast<Recompute>(*rc::gen::inRange(0, 3));
    double before = 1e300;
    for (int stage = 0; stage < 4; ++stage) {
      s.sharding = static_cast<Sharding>(stage);
      const MemoryUse m = run(p, node, s, framework).estimate.memory;
      RC_ASSERT(m.total().value <= before * (1 + 1e-12));
      before = m.total().value;
      for (const Bytes part : {m.weights, m.gradients, m.optimizer, m.activations, m.logits, m.buffers, m.context})
        RC_ASSERT(part.value >= 0);
    }
    s.sharding = Sharding::kNone;
    const Bytes small = run(p, node, s, framework).estimate.memory.total();
    s.micro_batch *= 2;
    RC_ASSERT(run(p, node, s, framework).estimate.memory.total() >= small);
  }));
}

}  // namespace
}  // namespace gpuplan
