// The model beside published measurements. Figures are facts of the sources named; the tolerance is about twice the
// median error, so that a change that breaks the physics fails and a slight refit does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

struct Published {
  const char* source;
  const char* gpu;
  int machine;     ///< GPUs in it
  double network;  ///< Gbit/s of a machine
  const char* framework;
  ModelUse use;
  Method method;
  int sequence;
  Strategy strategy;
  double seconds;  ///< of a step; 0: not published
  double gib;      ///< of the fullest GPU, without the driver's context; 0: not published
  double tolerance = 0.25;
};

Strategy cut(int dp, int tp, int pp, int micro, int accumulate, Sharding sharding, Recompute recompute,
             Precision precision) {
  Strategy s;
  s.dp = dp;
  s.tp = tp;
  s.pp = pp;
  s.micro_batch = micro;
  s.grad_accum = accumulate;
  s.sharding = sharding;
  s.recompute = recompute;
  s.precision = precision;
  return s;
}

Strategy eager(Strategy s, int interleave) {
  s.attention = AttentionKernel::kEager;
  s.interleave = interleave;
  return s;
}

Strategy compiled(Strategy s) {
  s.compile = true;
  return s;
}

/// Seconds of a step from tokens per second and GPU.
double from_rate(double tokens_per_second, const Strategy& s, int sequence) {
  return static_cast<double>(s.micro_batch) * s.grad_accum * sequence / (tokens_per_second * s.tp * s.pp * s.cp);
}

std::vector<Published> published() {
  using enum Sharding;
  constexpr auto none = Recompute::kNone, selective = Recompute::kSelective, full = Recompute::kFull;
  constexpr auto fp16 = Precision::kFp16, bf16 = Precision::kBf16, fp8 = Precision::kFp8;
  std::vector<Published> rows;

  // Korthikanti et al. 2022 (arXiv:2205.05198), table 5: iteration time with full and with selective recomputation.
  const char* korthikanti = "arXiv:2205.05198 table 5";
  const auto megatron = [&](ModelUse use, Strategy s, double seconds) {
    rows.push_back(
        {korthikanti, "A100 SXM 80GB", 8, 1600, "megatron", std::move(use), Method::kFull, 2048, s, seconds, 0, 0.15});
  };
  megatron(gpt(48, 6144, 64, 51200), eager(cut(1, 8, 1, 4, 1, kNone, full, fp16), 1), 1.42);
  megatron(gpt(48, 6144, 64, 51200), eager(cut(1, 8, 1, 4, 1, kNone, selective, fp16), 1), 1.10);
  megatron(gpt(96, 12288, 96, 51200), eager(cut(1, 8, 8, 1, 64, kNone, full, fp16), 3), 18.13);
  megatron(gpt(96, 12288, 96, 51200), eager(cut(1, 8, 8, 1, 64, kNone, selective, fp16), 3), 13.75);
  megatron(gpt(105, 20480, 128, 51200), eager(cut(1, 8, 35, 1, 280, kNone, full, fp16), 3), 49.05);
  megatron(gpt(105, 20480, 128, 51200), eager(cut(1, 8, 35, 1, 280, kNone, selective, fp16), 3), 37.83);
  megatron(gpt(128, 25600, 160, 51200), eager(cut(1, 8, 64, 1, 512, kNone, full, fp16), 1), 94.42);
  megatron(gpt(128, 25600, 160, 51200), eager(cut(1, 8, 64, 1, 512, kNone, selective, fp16), 1), 71.49);

  // NVIDIA Megatron-LM, Llama 3 examples: tokens per second and GPU on H100, fp8.
  const char* mlm = "NVIDIA/Megatron-LM examples/llama";
  const auto llama = [&](const char* model, Strategy s, double rate) {
    rows.push_back(
        {mlm, "H100 SXM", 8, 3200, "megatron", use_of(model), Method::kFull, 8192, s, from_rate(rate, s, 8192), 0});
  };
  llama("Llama-3.1-70B", cut(2, 4, 8, 1, 64, kZero1, none, fp8), 1621);
  llama("Llama-3.1-405B", cut(8, 8, 8, 1, 64, kZero1, none, fp8), 315);

  // NVIDIA JAX-Toolbox, MaxText: Llama-2-7B on 8 H100.
  rows.push_back({"NVIDIA/JAX-Toolbox MaxText", "H100 SXM", 8, 3200, "maxtext", use_of("Llama-2-7B"), Method::kFull,
                  4096, compiled(cut(8, 1, 1, 2, 1, kZero3, selective, bf16)), 0.721, 0});

  // mosaicml/llm-foundry, scripts/train/benchmarking: tokens per second and GPU.
  const char* foundry = "mosaicml/llm-foundry benchmarking";
  const auto mpt = [&](const char* gpu, double network, ModelUse use, int sequence, Strategy s, double rate) {
    rows.push_back({foundry, gpu, 8, network, "composer", std::move(use), Method::kFull, sequence, s,
                    from_rate(rate, s, sequence), 0});
  };
  mpt("H100 SXM", 3200, gpt(32, 4096, 32, 50368), 2048, cut(512, 1, 1, 6, 1, kZero3, none, bf16), 9670);
  mpt("A100 SXM 80GB", 1600, gpt(24, 2048, 16, 50368), 4096, cut(8, 1, 1, 7, 4, kZero3, none, bf16), 17807);
  mpt("A100 SXM 40GB", 1600, gpt(12, 768, 12, 50368), 2048, cut(128, 1, 1, 26, 1, kZero3, none, bf16), 123936);

  // NVIDIA NeMo performance guide 24.05: GPT-3 175B on 512 H100, fp8.
  const Strategy nemo = eager(cut(16, 4, 8, 1, 128, kZero1, none, fp8), 1);
  Strategy fused = nemo;
  fused.attention = AttentionKernel::kFlash;
  rows.push_back({"NVIDIA NeMo 24.05 performance guide", "H100 SXM", 8, 3200, "nemo", gpt(96, 12288, 96, 51200),
                  Method::kFull, 2048, fused, from_rate(741, fused, 2048), 0});

  // pytorch/torchtune optimisation table, Llama-3.2-3B on one A100: plain, then compiled with recomputation.
  const char* tune = "pytorch/torchtune optimisation table";
  const Strategy plain = cut(1, 1, 1, 2, 1, kNone, none, bf16);
  const Strategy again = compiled(cut(1, 1, 1, 2, 1, kNone, full, bf16));
  rows.push_back({tune, "A100 SXM 80GB", 1, 0, "torchtune", use_of("Llama-3.2-3B"), Method::kFull, 4096, plain,
                  from_rate(7075, plain, 4096), 60});
  rows.push_back({tune, "A100 SXM 80GB", 1, 0, "torchtune", use_of("Llama-3.2-3B"), Method::kFull, 4096, again,
                  from_rate(7210, again, 4096), 24.9});

  // AnswerDotAI/fsdp_qlora benchmarks: Llama-2-7B LoRA on two RTX 4090, data parallel; 437 s for 1024 samples.
  rows.push_back({"AnswerDotAI/fsdp_qlora benchmarks", "RTX 4090", 2, 0, "hf-trainer", use_of("Llama-2-7B"),
                  Method::kLora, 2048, cut(2, 1, 1, 4, 1, kNone, full, bf16), 3.414, 22.0});

  // pytorch/ao tables of August 2025, when torchtitan compiled the loss: Llama-3-8B, selective checkpointing, GiB
  // reserved.
  for (const auto& [gpu, gib] : {std::pair("B200", 33.71), {"MI300X", 39.09}})
    rows.push_back({"pytorch/ao float8 and mxfp8 tables", gpu, 8, 3200, "torchtitan", use_of("Llama-3.1-8B"),
                    Method::kFull, 8192, compiled(cut(8, 1, 1, 1, 1, kZero3, selective, bf16)), 0, gib});
  return rows;
}

TEST(TrainingPublished, EveryRowIsNear) {
  std::vector<double> errors;
  for (const Published& row : published()) {
    const TrainPhase p = phase(row.use, row.sequence, row.method);
    const NodeShape node = machine(row.gpu, row.machine, row.network);
    const Case r = run(p, node, row.strategy, row.framework);
    const std::string what = std::string(row.source) + ", " + row.use.name + " on " + row.gpu;
    if (row.seconds > 0) {
      const double seconds = r.estimate.step.total().value;
      EXPECT_NEAR(seconds / row.seconds, 1, row.tolerance) << what << ": step";
      errors.push_back(std::abs(std::log(seconds / row.seconds)));
    }
    if (row.gib > 0) {
      constexpr double kDriver = 0.8;  // published figures are those of the allocator
      EXPECT_NEAR((r.estimate.memory.total() / GiB - kDriver) / row.gib, 1, row.tolerance) << what << ": memory";
    }
  }
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.10) << "median error of step times";
}

}  // namespace
}  // namespace gpuplan
