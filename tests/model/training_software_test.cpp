// Terms of a training step that are counted by how software works: what it sends in which format, what it copies, casts
// and hides.
#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

constexpr double kLlama = 6738415616;  // parameters of Llama-2-7B

/// Traffic of a step on eight H100 with links of 100 GB/s, of which computation hides nothing.
double data_traffic(const Strategy& s, const char* framework) {
  static const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("H100 SXM", 8);
  Case r = run(p, node, s, framework);
  TrainingConstants open = catalogue().training_constants;
  open.data_cover = open.data_leak = open.zero3_cover = open.zero3_leak = 0;
  r.rates.constants = &open;
  r.rates.link = LinkRate{BytesPerSecond{1e11}, Seconds{0}};
  r.rates.link_bus = BytesPerSecond{1e11};
  r.rates.stream = BytesPerSecond{1e12};
  return training_estimate(r.work, r.rates, r.layer, s, 1).step.data_traffic.value;
}

TEST(TrainingSoftware, ShardedOptimizersScatterGradientsAndGatherWeights) {
  // Each half of a ring passes (n-1)/n: gradients of 4 bytes in Megatron-LM, of 2 in NeMo's recipes (grad_sync_dtype),
  // weights of 2.
  const double near = 7.0 / 8 / 1e11;
  const Strategy shared = strategy(8, 1, 3, Sharding::kZero1);
  EXPECT_NEAR(data_traffic(shared, "megatron"), (4 + 2) * kLlama * near, 1e-3);
  EXPECT_NEAR(data_traffic(shared, "nemo"), (2 + 2) * kLlama * near, 1e-3);
  EXPECT_NEAR(data_traffic(strategy(8, 1, 3), "nemo"), 2 * 2 * kLlama * near, 1e-3) << "an all-reduce is both halves";
}

TEST(TrainingSoftware, ShardsOfEachParameterAreCopied) {
  // FSDP2 in torchtitan: weights of 2 bytes are gathered twice and copied out, read and written, each time; gradients
  // of 2 bytes become 4 on their way.
  Strategy s = strategy(8, 1, 3, Sharding::kZero3);
  const double near = 7.0 / 8 / 1e11, memory = 1 / 1e12;
  EXPECT_NEAR(data_traffic(s, "torchtitan"), 3 * kLlama * ((2 + 2 + 4) * near + (4 * 2 + 2 + 4) * memory), 1e-3);
  EXPECT_NEAR(data_traffic(s, "deepspeed"), 3 * kLlama * ((2 + 2 + 2) * near + (4 * 2 + 2 + 2) * memory), 1e-3);
  EXPECT_NEAR(data_traffic(s, "composer"), 3 * kLlama * 6 * near, 1e-3) << "flat tensors are gathered into place";
  // Weights that products read in 8 bit travel so.
  s.precision = Precision::kFp8;
  EXPECT_NEAR(data_traffic(s, "torchtitan"), 3 * kLlama * ((1 + 1 + 4) * near + (4 + 2 + 4) * memory), 1e-3);
}

TEST(TrainingSoftware, CopyEnginesReachTheRateOfTheSlot) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("RTX 4090", 4);
  const auto bus = [&](const char* framework) { return run(p, node, strategy(4, 1, 1), framework).rates.link_bus; };
  EXPECT_EQ(bus("llmq").value, 0.75 * 32e9) << "PCIe 4";
  EXPECT_LT(bus("torch"), bus("llmq"));
  const NodeShape linked = machine("H100 SXM", 4);
  EXPECT_EQ(run(p, linked, strategy(4, 1, 1), "llmq").rates.link_bus,
            run(p, linked, strategy(4, 1, 1), "torch").rates.link_bus);
}

TEST(TrainingSoftware, ChunksHideTensorTraffic) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("H100 SXM", 8);
  Strategy s = strategy(1, 1, 1);
  s.tp = 8;
  const TrainingConstants& c = catalogue().training_constants;
  const auto shown = [&](const char* framework) { return run(p, node, s, framework).layer.tensor_traffic; };
  EXPECT_NEAR(shown("nemo") / shown("megatron"), c.tensor_overlapped / c.tensor_exposed, 1e-9);
}

TEST(TrainingSoftware, EightBitProductsNeedCasts) {
  // A layer of Llama-2-7B reads 3 x 4,096 + 11,008 numbers forward; its products give 4 x 4,096 + 2 x 11,008 + 4,096.
  // torchao converts weights anew with every micro-batch, Transformer Engine keeps copies of them.
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("H100 SXM", 1);
  const auto casts = [&](const char* framework) {
    Strategy s = strategy(1, 1, 1);
    s.precision = Precision::kBf16;
    const Case wide = run(p, node, s, framework);
    s.precision = Precision::kFp8;
    const Case narrow = run(p, node, s, framework);
    const double factor = narrow.rates.time_factor / narrow.rates.stream.value;
    return (narrow.layer.elementwise - wide.layer.elementwise).value / factor;
  };
  const double numbers = 32.0 * 2048 * (3 * 4096 + 11008 + 5 * 4096 + 2 * 11008);
  const double weights = 32 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
  EXPECT_NEAR(casts("torchtitan"), software_of(catalogue(), "torchtitan").cast_bytes * (numbers + weights), 1e8);
  EXPECT_NEAR(casts("nemo"), software_of(catalogue(), "nemo").cast_bytes * numbers, 1e8);
}

TEST(TrainingSoftware, OnlyProductsFeelWhatProductsOfTheGenerationLose) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("H100 SXM", 1);
  const Case r = run(p, node, strategy(1, 1, 1));
  const TrainingConstants& c = catalogue().training_constants;
  EXPECT_EQ(r.rates.time_factor, c.step_time * software_of(catalogue(), "torch").time);
  EXPECT_EQ(r.rates.product_factor, r.rates.time_factor * r.rates.efficiency->training);
}

}  // namespace
}  // namespace gpuplan
