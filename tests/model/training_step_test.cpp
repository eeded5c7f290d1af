#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <utility>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

/// 6 N tokens over peak (Chowdhery et al. 2022, without attention).
double utilisation(const Case& r, const Strategy& s, const Gpu& gpu) {
  const double tokens = r.work.mean_tokens * s.dp * s.micro_batch * s.grad_accum;
  return 6 * r.work.params * tokens / (s.gpus() * gpu.bf16.value * r.estimate.step.total().value);
}

TEST(TrainingStep, SingleGpuHasNoTraffic) {
  const TrainPhase p = phase(use_of("Qwen2.5-0.5B"), 2048);
  const StepParts step = run(p, machine("H100 SXM", 1), strategy(1, 4, 8)).estimate.step;
  EXPECT_EQ(step.tensor_traffic.value, 0);
  EXPECT_EQ(step.expert_traffic.value, 0);
  EXPECT_EQ(step.data_traffic.value, 0);
  EXPECT_EQ(step.pipeline_traffic.value, 0);
  EXPECT_EQ(step.bubble.value, 0);
  EXPECT_EQ(step.straggle.value, 0);
  EXPECT_EQ(step.offload.value, 0);
  EXPECT_EQ(step.dequantise.value, 0);
}

TEST(TrainingStep, MatricesOfMuonAreHandedOutToRanks) {
  TrainPhase p = phase(use_of("Qwen2.5-7B"), 2048);
  const auto optimizer = [&](Sharding sharding, int ranks) {
    return run(p, machine("H100 SXM", 8), strategy(ranks, 1, 1, sharding)).estimate.step.optimizer.value;
  };
  const double adam = optimizer(Sharding::kZero1, 8);
  p.optimizer = {Optimizer::kMuon, Optimizer::kAdamW};
  const double alone = optimizer(Sharding::kNone, 1), all = optimizer(Sharding::kNone, 8);
  // Newton-Schulz: 30 h operations a parameter, at half the peak, is most of it; eight ranks take an eighth each. What
  // reads and writes states is done by all of them.
  EXPECT_GT(alone, 3 * all);
  EXPECT_LT(alone, 8 * all);
  for (const Sharding sharding : {Sharding::kZero1, Sharding::kZero2, Sharding::kZero3}) {
    EXPECT_LT(optimizer(sharding, 8), all) << "states are shared out as well";
    EXPECT_GT(optimizer(sharding, 8), adam);
  }
}

TEST(TrainingStep, UtilisationIsSane) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const Strategy s = strategy(8, 4, 4, Sharding::kZero3);
  const double a100 = utilisation(run(p, machine("A100 SXM 80GB", 8), s), s, *catalogue().find_gpu("A100 SXM 80GB"));
  EXPECT_GT(a100, 0.45);
  EXPECT_LT(a100, 0.65);
  const double h100 = utilisation(run(p, machine("H100 SXM", 8), s), s, *catalogue().find_gpu("H100 SXM"));
  EXPECT_GT(h100, 0.33);
  EXPECT_LT(h100, 0.50);
}

TEST(TrainingStep, BubbleOfOneForwardOneBackward) {
  // 96 layers on 8 stages, 64 micro-batches: (pp - 1) / m = 7 / 64 of the work (Narayanan et al. 2021), a third of it
  // with 3 virtual stages; what the head adds to the last stage comes on top.
  const TrainPhase p = phase(gpt(96, 12288, 96, 51200), 2048);
  Strategy s = strategy(1, 1, 64);
  s.tp = 8;
  s.pp = 8;
  const NodeShape node = machine("A100 SXM 80GB", 8, 1600);
  const StepParts plain = run(p, node, s, "megatron").estimate.step;
  const Seconds layers = plain.matmul + plain.attention + plain.elementwise + plain.tensor_traffic;
  EXPECT_NEAR(plain.bubble / layers, 7.0 / 64, 0.04);
  s.interleave = 3;
  const StepParts interleaved = run(p, node, s, "megatron").estimate.step;
  EXPECT_LT(interleaved.bubble, plain.bubble * 0.6);
  s.grad_accum = 8;
  s.interleave = 1;
  const StepParts few = run(p, node, s, "megatron").estimate.step;
  EXPECT_GT(few.bubble / (few.matmul + few.attention + few.elementwise), 0.6) << "fewer micro-batches, more waiting";
}

TEST(TrainingStep, SmallBatchesAreBoundByTheHost) {
  // GPT-2 with one sequence of 128 tokens: an H100 is hardly faster than an A100.
  const TrainPhase p = phase(use_of("GPT-2"), 128);
  const Seconds a100 = run(p, machine("A100 SXM 80GB", 1), strategy(1, 1, 1)).estimate.step.total();
  const Seconds h100 = run(p, machine("H100 SXM", 1), strategy(1, 1, 1)).estimate.step.total();
  EXPECT_NEAR(a100 / h100, 1, 0.2);
  const Case r = run(p, machine("H100 SXM", 1), strategy(1, 1, 1));
  EXPECT_GT(r.estimate.step.launch / r.estimate.step.total(), 0.5);
  EXPECT_EQ(r.spread.regime, "few tokens per micro-batch: CPU-bound");
}

TEST(TrainingStep, QuantisedBaseIsSlowerThanSixteenBit) {
  const NodeShape node = machine("A100 SXM 80GB", 1);
  const Strategy s = strategy(1, 2, 1);
  const TrainPhase lora = phase(use_of("Llama-2-7B"), 2048, Method::kLora);
  const TrainPhase qlora = phase(use_of("Llama-2-7B"), 2048, Method::kQlora);
  const Case a = run(lora, node, s, "hf-trainer"), b = run(qlora, node, s, "hf-trainer");
  EXPECT_GT(b.estimate.step.total(), a.estimate.step.total());
  EXPECT_LT(b.estimate.memory.total(), a.estimate.memory.total());
}

TEST(TrainingStep, MoreMachinesWithTheSameWorkEachTakeLonger) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const NodeShape node = machine("H100 SXM", 8, 3200);
  const Seconds one = run(p, node, strategy(8, 2, 2, Sharding::kZero3)).estimate.step.total();
  const Case four = run(p, node, strategy(32, 2, 2, Sharding::kZero3));
  EXPECT_GT(four.estimate.step.straggle.value, 0);
  EXPECT_GT(four.estimate.step.total(), one * 0.99);
  const Case slow = run(p, machine("H100 SXM", 8, 100), strategy(32, 2, 2, Sharding::kZero3));
  EXPECT_GT(slow.estimate.step.total(), four.estimate.step.total() * 1.1) << "100 Gbit/s Ethernet shows";
}

TEST(TrainingStep, HybridShardingKeepsWeightsInsideTheMachine) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const NodeShape ethernet = machine("H100 SXM", 8, 100);
  const Case full = run(p, ethernet, strategy(32, 1, 4, Sharding::kZero3));
  const Case hybrid = run(p, ethernet, strategy(32, 1, 4, Sharding::kHsdp));
  EXPECT_LT(hybrid.estimate.step.data_traffic, full.estimate.step.data_traffic * 0.7);
  EXPECT_GT(hybrid.estimate.memory.optimizer, full.estimate.memory.optimizer * 3.9) << "eight ranks share, not 32";
  const NodeShape one = machine("H100 SXM", 8);
  EXPECT_EQ(run(p, one, strategy(8, 1, 4, Sharding::kHsdp)).estimate.step.total(),
            run(p, one, strategy(8, 1, 4, Sharding::kZero3)).estimate.step.total())
      << "on one machine they are the same";
}

/// A step on links of round numbers, 100 GB/s between the GPUs of a machine and 50 GB/s between machines, of which
/// computation hides nothing.
StepParts laid_open(const TrainPhase& p, int gpus, const Strategy& s, const char* framework = "torch") {
  const NodeShape node = machine("H100 SXM", gpus, 3200);
  Case r = run(p, node, s, framework);
  TrainingConstants open = catalogue().training_constants;
  open.data_cover = open.data_cover_pipeline = open.data_leak = open.zero3_cover = open.zero3_leak = 0;
  open.pipeline_exposed = 1;
  open.straggle = 0.01;
  r.rates.constants = &open;
  r.rates.link = LinkRate{BytesPerSecond{1e11}, Seconds{0}};
  r.rates.link_bus = BytesPerSecond{1e11};
  r.rates.network_bus = BytesPerSecond{5e10};
  r.rates.link_latency = r.rates.network_latency = Seconds{0};
  return training_estimate(r.work, r.rates, r.layer, s, (s.gpus() + gpus - 1) / gpus).step;
}

constexpr double kLlamaParameters = 6738415616;  // parameters of Llama-2-7B

TEST(TrainingStep, DataTrafficIsWhatThePapersSay) {
  // Rajbhandari et al. 2020: rings over n ranks pass 2 (n-1)/n of the gradients in an all-reduce, (n-1)/n in each half
  // of it. PyTorch keeps gradients of 4 bytes and gathers weights of 2.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const auto traffic = [&](int dp, int accumulate, Sharding sharding) {
    return laid_open(p, 8, strategy(dp, 1, accumulate, sharding)).data_traffic.value;
  };
  const double near = 7.0 / 8 / 1e11;
  EXPECT_NEAR(traffic(8, 3, Sharding::kNone), 4 * kLlamaParameters * 2 * near, 1e-3);
  EXPECT_NEAR(traffic(8, 3, Sharding::kZero1), (4 + 2) * kLlamaParameters * near, 1e-3) << "once a step";
  EXPECT_NEAR(traffic(8, 3, Sharding::kZero2), (3 * 4 + 2) * kLlamaParameters * near, 1e-3)
      << "scattered every micro-batch";
  EXPECT_NEAR(traffic(8, 3, Sharding::kZero3), 3 * (2 + 2 + 2) * kLlamaParameters * near, 1e-3)
      << "gathered twice as well";
  // Two machines: the whole ring is as fast as what leaves a machine.
  EXPECT_NEAR(traffic(16, 1, Sharding::kNone), 4 * kLlamaParameters * 2 * 15 / 16 / 5e10, 1e-3);
  // Four machines of which each holds a copy: shards inside, and eight GPUs that share the network add up their
  // eighths.
  EXPECT_NEAR(traffic(32, 1, Sharding::kHsdp),
              6 * kLlamaParameters * near + 2 * kLlamaParameters / 8 * 2 * 3 / 4 / (5e10 / 8), 1e-3);
  // Two tensor ranks have half of the gradients each and half of the network.
  Strategy cut = strategy(8, 1, 1);
  cut.tp = 2;
  const double halves = 4 * kLlamaParameters / 2 * 2 * 7 / 8 / (5e10 / 2);
  EXPECT_NEAR(laid_open(p, 8, cut).data_traffic.value, halves, 0.01 * halves);
}

TEST(TrainingStep, StagesHandOnWhatStandsAtTheirBoundary) {
  // 2 bytes x 2,048 tokens x 4,096 forward and as much back, for each of 8 micro-batches.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy s = strategy(1, 1, 8);
  s.pp = 2;
  const double once = 2.0 * 2048 * 4096;
  EXPECT_NEAR(laid_open(p, 8, s).pipeline_traffic.value, 2 * 8 * once / 1e11, 1e-9);
  s.interleave = 2;
  EXPECT_NEAR(laid_open(p, 8, s).pipeline_traffic.value, 2 * 2 * 8 * once / 1e11, 1e-9) << "twice as many boundaries";
  // Over two machines; tensor ranks hold a part each, and eight GPUs share the network.
  s = strategy(1, 1, 8);
  s.pp = 2;
  s.tp = 8;
  EXPECT_NEAR(laid_open(p, 8, s, "megatron").pipeline_traffic.value, 2 * 8 * once / 8 / (5e10 / 8), 1e-6);
}

TEST(TrainingStep, TheOptimizerReadsAndWritesWhatItKeeps) {
  // AdamW of PyTorch in 32 bit: weights and two moments read and written, gradients touched four times: 40 bytes.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("H100 SXM", 8);
  const TrainingConstants& c = catalogue().training_constants;
  const auto seconds = [&](const Strategy& s, const char* framework) {
    const Case r = run(p, node, s, framework);
    return r.estimate.step.optimizer.value * r.rates.stream.value;
  };
  const double once = 40 * kLlamaParameters * c.optimizer_passes * c.optimizer_unfused;
  EXPECT_NEAR(seconds(strategy(8, 1, 1), "torch"), once, 1e-6 * once);
  EXPECT_NEAR(seconds(strategy(8, 1, 1, Sharding::kZero1), "torch"), once / 8, 1e-6 * once);
  // One kernel; 16-bit weights beside 32-bit ones: 2 (2 + 4 + 8) + 4 x 4.
  const double fused = 44 * kLlamaParameters * c.optimizer_passes;
  EXPECT_NEAR(seconds(strategy(8, 1, 1), "megatron"), fused, 1e-6 * fused);
  // On the host: 28 bytes a parameter of its memory; 4 bytes down and 2 up over PCIe 5, 64 GB/s at 75 %.
  Strategy s = strategy(8, 1, 1, Sharding::kZero2);
  s.offload = Offload::kOptimizer;
  const Case host = run(p, node, s, "deepspeed");
  EXPECT_EQ(host.estimate.step.optimizer.value, 0);
  const double wanted = kLlamaParameters / 8 * (28 / (c.host_adam_rate * 1e9) + 6 / (0.75 * 64e9));
  EXPECT_NEAR(host.estimate.step.offload.value, wanted, 1e-6 * wanted);
}

TEST(TrainingStep, ManyMachinesWaitForTheSlowest) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  for (const auto& [machines, doublings] : {std::pair{1, 0.0}, {2, 1.0}, {3, 1.5}, {4, 2.0}, {8, 3.0}}) {
    const StepParts step = laid_open(p, 8, strategy(8 * machines, 1, 1));
    const Seconds rest = step.total() - step.straggle;
    EXPECT_NEAR(step.straggle / rest, 0.01 * doublings, 1e-9) << machines;
  }
}

TEST(TrainingStep, WhatLiesInHostMemoryPassesPcie) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("A100 SXM 80GB", 1);
  Strategy s = strategy(1, 1, 2);
  const Seconds free = run(p, node, s).estimate.step.total();
  s.offload = Offload::kParams;
  const Case weights = run(p, node, s);
  // 6.74 billion parameters x 2 bytes there and back in each of two micro-batches at 75 % of 32 GB/s, of which at most
  // what computation takes is hidden.
  const double transfer = 2 * 2 * 6.74e9 * 2 / (0.75 * 32e9);
  EXPECT_LE(weights.estimate.step.offload.value, transfer * 1.01);
  EXPECT_GT(weights.estimate.step.offload.value, 0.1 * transfer);
  EXPECT_GT(weights.estimate.step.total(), free);
  s.offload = Offload::kAll;
  EXPECT_GT(run(p, node, s).estimate.step.total(), weights.estimate.step.total());
}

TEST(TrainingStep, ARacksLinkJoinsItsMachines) {
  Gpu alone = *catalogue().find_gpu("GB200");
  const NodeShape tray = machine("GB200", 4, 400);
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const Case rack = run(p, tray, strategy(64, 1, 1, Sharding::kZero3));
  alone.link_domain = 0;
  NodeShape apart = tray;
  apart.gpu = &alone;
  const Case trays = run(p, apart, strategy(64, 1, 1, Sharding::kZero3));
  EXPECT_LT(rack.estimate.step.data_traffic, trays.estimate.step.data_traffic * 0.5);
}

TEST(TrainingStep, MachinesOfOneGpuShareLayersOverTheNetwork) {
  const TrainPhase p = phase(use_of("Mixtral-8x7B"), 4096);
  for (const char* cut : {"tensor", "context", "expert", "pipeline"}) {
    Strategy s = strategy(2, 1, 4);
    const std::string name = cut;
    if (name == "expert") s.ep = 2;
    else s.dp = 1;
    if (name == "tensor") s.tp = 2;
    if (name == "context") s.cp = 2;
    if (name == "pipeline") s.pp = 2;
    const Seconds apart = run(p, machine("H100 SXM", 1, 400), s).estimate.step.total();
    const Seconds together = run(p, machine("H100 SXM", 2, 400), s).estimate.step.total();
    EXPECT_TRUE(std::isfinite(apart.value)) << name;
    EXPECT_GT(apart, together) << name;
  }
}

TEST(TrainingStep, Laws) {
  EXPECT_TRUE(rc::check("better hardware is never slower, parts are not negative", [] {
    const char* models[] = {"Llama-2-7B", "GPT-2", "Mixtral-8x7B", "BERT-large"};
    const char* cards[] = {"A100 SXM 80GB", "H100 SXM", "RTX 4090", "L4", "MI300X", "V100 SXM2 32GB"};
    const char* frameworks[] = {"torch", "megatron", "hf-trainer"};
    TrainPhase p = phase(use_of(models[*rc::gen::inRange(0, 4)]), 128 << *rc::gen::inRange(0, 5));
    p.method = *rc::gen::element(Method::kFull, Method::kLora, Method::kQlora);
    const char* framework = frameworks[*rc::gen::inRange(0, 3)];
    const Gpu base = *catalogue().find_gpu(cards[*rc::gen::inRange(0, 6)]);
    Gpu better = base;
    better.bandwidth *= 1.3;
    better.bf16 *= 1.3;
    better.fp16 *= 1.3;
    better.link *= 1.3;
    const int gpus = *rc::gen::element(1, 2, 8);
    const NodeShape node = machine(base, gpus, 400), upgraded = machine(better, gpus, 800);
    Strategy s = strategy(1 << *rc::gen::inRange(0, 4), 1 << *rc::gen::inRange(0, 4), *rc::gen::inRange(1, 5));
    s.precision = Precision::kFp16;
    s.tp = 1 << *rc::gen::inRange(0, 3);
    s.pp = 1 << *rc::gen::inRange(0, 3);
    s.cp = 1 << *rc::gen::inRange(0, 2);
    if (p.models.front().shape.experts > 0) s.ep = std::min(s.dp, 1 << *rc::gen::inRange(0, 4));
    s.sharding = static_cast<Sharding>(*rc::gen::inRange(0, 4));
    s.recompute = static_cast<Recompute>(*rc::gen::inRange(0, 3));
    s.attention = *rc::gen::element(AttentionKernel::kEager, AttentionKernel::kFlash);
    const StepParts step = run(p, node, s, framework).estimate.step;
    for (const Seconds part : {step.matmul, step.attention, step.elementwise, step.recompute, step.dequantise,
                               step.head, step.launch, step.tensor_traffic, step.expert_traffic, step.data_traffic,
                               step.pipeline_traffic, step.bubble, step.optimizer, step.offload, step.straggle}) {
      RC_ASSERT(part.value >= 0);
      RC_ASSERT(std::isfinite(part.value));
    }
    RC_ASSERT(run(p, upgraded, s, framework).estimate.step.total().value <= step.total().value * (1 + 1e-9));
    s.recompute = Recompute::kNone;
    const Seconds quick = run(p, node, s, framework).estimate.step.total();
    s.recompute = Recompute::kFull;
    RC_ASSERT(run(p, node, s, framework).estimate.step.total() >= quick);
  }));
}

TEST(TrainingSpread, RegimesAreNamedAndWiderWhereLessIsKnown) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const Strategy s = strategy(8, 2, 2, Sharding::kZero3);
  const Spread h100 = run(p, machine("H100 SXM", 8), s).spread;
  const Spread card = run(p, machine("RTX 4090", 8), s).spread;
  const Spread tpu = run(p, machine("TPU v5e", 8), s, "maxtext").spread;
  EXPECT_EQ(h100.regime, "no special circumstance");
  EXPECT_EQ(tpu.regime, "no run measured on such hardware");
  EXPECT_LT(h100.time, card.time) << "fewer publishers have measured it, and nothing else sets them apart";
  EXPECT_LT(card.time, tpu.time);
}

TEST(ExplainTraining, TermsAddUpToTheEstimate) {
  TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  Strategy s = strategy(16, 2, 4, Sharding::kZero3);
  s.recompute = Recompute::kFull;
  const NodeShape node = machine("H100 SXM", 8, 3200);
  const Case r = run(p, node, s);
  double seconds = 0, bytes = 0;
  for (const Term& term : explain_training(r.work, r.rates, r.layer, s, 2)) {
    EXPECT_FALSE(term.name.empty());
    EXPECT_FALSE(term.formula.empty()) << term.name;
    EXPECT_FALSE(term.source.empty()) << term.name;
    if (!term.part_of_total) continue;
    if (term.kind == Term::Kind::kTime) seconds += term.value;
    if (term.kind == Term::Kind::kMemory) bytes += term.value;
  }
  EXPECT_NEAR(seconds, r.estimate.step.total().value, 1e-9 * seconds);
  EXPECT_NEAR(bytes, r.estimate.memory.total().value, 1e-9 * bytes);
}

}  // namespace
}  // namespace gpuplan
