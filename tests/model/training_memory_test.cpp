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

TEST(TrainingMemory, TheAllocatorHoldsNoMoreThanThereIsRoomFor) {
  // Holes are 7.8 % of what comes and goes where the card has room, and go where it has none: what is needed stays.
  const TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048, Method::kLora);
  const auto memory = [&](const char* gpu, int micro) {
    return run(p, machine(gpu, 1), strategy(1, 1, micro)).estimate.memory;
  };
  const double share = catalogue().training_constants.fragmentation;
  for (int micro = 1; micro <= 64; micro *= 2) {
    const MemoryUse roomy = memory("B300", micro), small = memory("RTX 4090", micro);
    const Bytes usable = catalogue().find_gpu("RTX 4090")->usable;
    const Bytes goes = small.gradients + small.activations + small.logits + small.buffers;
    EXPECT_NEAR(small.needed() / roomy.needed(), 1, 1e-9) << micro;
    EXPECT_NEAR(roomy.fragmentation / goes, share, 1e-9) << micro;
    EXPECT_LE(small.fragmentation.value, roomy.fragmentation.value) << micro;
    if (roomy.total() <= usable) EXPECT_NEAR(small.total() / roomy.total(), 1, 1e-9) << micro;
    else if (roomy.needed() <= usable) EXPECT_NEAR(small.total() / usable, 1, 1e-9) << micro;
    else EXPECT_EQ(small.fragmentation, Bytes{}) << micro;
  }
}

TEST(TrainingMemory, QloraHoldsFourBitsAndScales) {
  // 6,476,005,376 layer weights at 4.5 bits, 262 M embedding and head parameters at 2 bytes: 4.17 GB. Adapters of rank
  // 16 beside all linear layers, in 32 bit, as PEFT makes them.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512, Method::kQlora);
  const MemoryUse m = run(p, machine("RTX 4090", 1), strategy(1, 1, 1), "hf-trainer").estimate.memory;
  EXPECT_NEAR(m.weights.value, 6476271616.0 * 0.5625 + 262144000 * 2.0 + 39976960 * 4.0, 3e6);
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
  EXPECT_EQ(there.estimate.memory.gradients.value, 0) << "they follow the states";
  EXPECT_GT(there.estimate.host_memory, here.estimate.host_memory);
  EXPECT_GT(there.estimate.step.offload.value, 0);
  EXPECT_EQ(here.estimate.step.offload.value, 0);
}

TEST(TrainingMemory, PipelineKeepsMicroBatchesInFlight) {
  const TrainPhase p = phase(gpt(96, 12288, 96, 51200), 2048);
  const auto activations = [&](int micro_batches, int interleave = 1) {
    Strategy s = strategy(1, 1, micro_batches);
    s.tp = 8;
    s.pp = 8;
    s.interleave = interleave;
    return run(p, machine("A100 SXM 80GB", 8, 1600), s, "megatron").estimate.memory.activations.value;
  };
  // GPT-3 on 8 x 8 GPUs, 2,048 tokens: a layer keeps 34 s b h / t bytes (Korthikanti et al. 2022, equation 2 without
  // the scores that fused attention never writes), and the first stage has an eighth of the 96 layers.
  const double one = 34.0 * 2048 * 12288 / 8 * (96 / 8);
  EXPECT_NEAR((activations(8) - activations(4)) / 4, one, 0.05 * one);
  EXPECT_NEAR((activations(4) - activations(2)) / 2, (activations(8) - activations(4)) / 4, 1);
  // 1F1B keeps as many as there are stages, however many follow (Narayanan et al. 2021); interleaving two parts a stage
  // 1 + (8 - 1) / (8 x 2) times as many.
  EXPECT_EQ(activations(64), activations(8));
  EXPECT_NEAR(activations(64, 2) - activations(64), 8 * one * 7 / 16, 0.05 * 8 * one * 7 / 16);
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
      Bytes sum{};
      for (const MemoryPart& part : kMemoryParts) {
        const Bytes size = m.*part.size;
        RC_ASSERT(size >= Bytes{});
        sum += size;
      }
      RC_ASSERT(std::abs(sum.value - m.total().value) < 1);
      RC_ASSERT(m.allocated() <= m.reserved());
      RC_ASSERT(m.reserved() <= m.total());
    }
    s.sharding = Sharding::kNone;
    const Bytes small = run(p, node, s, framework).estimate.memory.total();
    s.micro_batch *= 2;
    RC_ASSERT(run(p, node, s, framework).estimate.memory.total() >= small);
  }));
}

TEST(TrainingMemory, MoreRecomputationNeverNeedsMore) {
  EXPECT_TRUE(rc::check("full <= selective <= none", [] {
    const char* models[] = {"Llama-2-7B", "GPT-2", "Mixtral-8x7B", "Qwen2.5-0.5B"};
    const char* frameworks[] = {"torch", "deepspeed", "megatron", "torchtune"};
    const TrainPhase p = phase(use_of(models[*rc::gen::inRange(0, 4)]), 128 << *rc::gen::inRange(0, 6));
    const char* framework = frameworks[*rc::gen::inRange(0, 4)];
    Strategy s = strategy(8, 1 << *rc::gen::inRange(0, 5), *rc::gen::inRange(1, 9));
    s.sharding = static_cast<Sharding>(*rc::gen::inRange(0, 5));
    s.compile = *rc::gen::arbitrary<bool>();
    s.attention = *rc::gen::element(AttentionKernel::kEager, AttentionKernel::kFlash);
    double before = 0;
    for (const Recompute recompute : {Recompute::kFull, Recompute::kSelective, Recompute::kNone}) {
      s.recompute = recompute;
      const double total = run(p, machine("H100 SXM", 8, 3200), s, framework).estimate.memory.total().value;
      RC_ASSERT(total >= before * (1 - 1e-9));
      before = total;
    }
  }));
}

TEST(TrainingMemory, OffloadNeverNeedsMoreOnTheGpu) {
  EXPECT_TRUE(rc::check("bytes go to the host", [] {
    const char* models[] = {"Llama-2-7B", "GPT-2", "Mixtral-8x7B", "Qwen2.5-0.5B"};
    const Method methods[] = {Method::kFull, Method::kLora, Method::kQlora};
    const TrainPhase p = phase(use_of(models[*rc::gen::inRange(0, 4)]), 1024, methods[*rc::gen::inRange(0, 3)]);
    Strategy s = strategy(1 << *rc::gen::inRange(0, 4), 1 << *rc::gen::inRange(0, 4), *rc::gen::inRange(1, 5));
    if (s.dp > 1) s.sharding = static_cast<Sharding>(*rc::gen::inRange(0, 4));
    s.recompute = static_cast<Recompute>(*rc::gen::inRange(0, 3));
    const NodeShape node = machine("A100 SXM 80GB", s.dp);
    const auto host = [&](const Case& r) { return training_host_memory(r.work, r.rates, r.layer, s).offloaded; };
    const Case none = run(p, node, s, "hf-trainer");
    for (unsigned bits = 1; bits < 8; ++bits) {
      s.offload = static_cast<Offload>(bits);
      const Case with = run(p, node, s, "hf-trainer");
      RC_ASSERT(with.estimate.memory.total() <= none.estimate.memory.total());
      RC_ASSERT(host(with) > Bytes{});
    }
    s.offload = Offload::kNone;
    RC_ASSERT(host(none) == Bytes{});
  }));
}

TEST(TrainingMemory, FullShardingGathersLayersAndWhatLiesOutside) {
  // Llama-2-7B over 8 GPUs in PyTorch: 842 M parameters of 4 bytes each; at the end of the forward pass the last
  // layer (202.4 M) and embedding and output matrix (2 x 131.1 M) stay together in 16 bit.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(8, 4, 1, Sharding::kZero3);
  s.recompute = Recompute::kFull;
  const NodeShape node = machine("A100 SXM 80GB", 8);  // the rates refer to it
  const Case r = run(p, node, s);
  const MemoryUse& m = r.estimate.memory;
  EXPECT_EQ(fullest_instant(r.work, r.rates, r.layer, s), "end of forward");
  EXPECT_NEAR(m.weights.value, 6738415616.0 / 8 * 4, 1e6);
  const double collectives = GiB.value * catalogue().training_constants.collectives_gib;
  EXPECT_NEAR(m.buffers.value - collectives, (202383360.0 + 2 * 131072000.0) * 2, 2e6);
}

TEST(TrainingMemory, HybridShardingSharesInsideAMachineOnly) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("A100 SXM 80GB", 8, 1600);
  const MemoryUse hybrid = run(p, node, strategy(32, 1, 1, Sharding::kHsdp)).estimate.memory;
  const MemoryUse one = run(p, node, strategy(8, 1, 1, Sharding::kZero3)).estimate.memory;
  const MemoryUse all = run(p, node, strategy(32, 1, 1, Sharding::kZero3)).estimate.memory;
  EXPECT_NEAR(hybrid.total().value, one.total().value, 1);
  EXPECT_LT(all.total(), hybrid.total());
}

TEST(TrainingMemory, APipelineKeepsItsStageTogether) {
  // Gathering for every micro-batch would cost more than it saves: a stage of a quarter of 6.74 G parameters stays in
  // 16 bit, and its gradients add up in 32.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(8, 1, 16, Sharding::kZero3);
  s.pp = 4;
  s.recompute = Recompute::kFull;
  const MemoryUse m = run(p, machine("A100 SXM 80GB", 8, 1600), s, "torchtitan").estimate.memory;
  const double layers = 32 / 4 * 202383360.0;
  EXPECT_GT(m.buffers.value, layers * 2 * 0.99);
  EXPECT_GT(m.gradients.value, layers * 4 * 0.99);
}

TEST(TrainingMemory, LoadingMayBeTheFullestInstant) {
  // Every GPU holds the whole 13.0 G parameters of 2 bytes beside its quarter while they are read.
  const TrainPhase p = phase(use_of("Llama-2-13B"), 256, Method::kLora);
  const Strategy s = strategy(4, 1, 1, Sharding::kZero3);
  const NodeShape node = machine("A100 SXM 80GB", 4);  // the rates refer to it
  const Case r = run(p, node, s, "litgpt");
  EXPECT_EQ(fullest_instant(r.work, r.rates, r.layer, s), "loading");
  EXPECT_NEAR(r.estimate.memory.weights.value + r.estimate.memory.buffers.value, 13.016e9 * 2 * 1.25, 0.01 * 32.5e9);
  const Case sharded = run(p, node, s, "torchtune");
  EXPECT_NE(fullest_instant(sharded.work, sharded.rates, sharded.layer, s), "loading");
}

TEST(TrainingMemory, StepInsideTheBackwardPassHoldsNoGradients) {
  TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048);
  p.optimizer = {Optimizer::kAdam8bit, Optimizer::kAdam8bit};
  Strategy s = strategy(1, 2, 1);
  s.recompute = Recompute::kFull;
  const MemoryUse large = run(p, machine("A100 SXM 80GB", 1), s, "torchtune").estimate.memory;
  EXPECT_NEAR(large.optimizer.value, 2.1 * 8030261248.0, 1e6);
  EXPECT_LT(large.gradients, 1 * GiB);
  // On 24 GB the states are paged out as far as it takes; published: 18.9 GiB.
  const NodeShape small = machine("RTX 4090", 1);
  const MemoryUse paged = run(p, small, s, "torchtune").estimate.memory;
  EXPECT_LT(paged.optimizer, large.optimizer * 0.6);
  EXPECT_LE(paged.total(), small.gpu->usable * 1.0001);
  s.grad_accum = 2;
  EXPECT_NEAR(run(p, machine("A100 SXM 80GB", 1), s, "torchtune").estimate.memory.gradients.value, 2 * 8030261248.0,
              1e6)
      << "accumulated gradients have to stay";
}

TEST(TrainingMemory, PlainDataParallelKeepsGradientsTwice) {
  // PyTorch's buckets are a second copy (documentation of DistributedDataParallel: gradient_as_bucket_view).
  const TrainPhase p = phase(use_of("Llama-2-7B"), 512);
  const NodeShape node = machine("B200", 8);
  const MemoryUse one = run(p, machine("B200", 1), strategy(1, 1, 2)).estimate.memory;
  const MemoryUse eight = run(p, node, strategy(8, 1, 2)).estimate.memory;
  const double collectives = GiB.value * catalogue().training_constants.collectives_gib;
  EXPECT_NEAR((eight.allocated() - one.allocated()).value, 4 * 6738415616.0 + collectives, 1e6);
}

}  // namespace
}  // namespace gpuplan
