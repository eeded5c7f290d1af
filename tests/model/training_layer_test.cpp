#include <gtest/gtest.h>

#include <cmath>

#include "model/training/layer.h"
#include "model/training_fixture.h"
#include "plan/strategy/layer_table.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

LayerCost cost(const TrainPhase& p, const NodeShape& node, const LayerCut& cut, const char* framework = "torch",
               Precision precision = Precision::kBf16, bool compile = false) {
  const auto work = training_work(p);
  EXPECT_TRUE(work);
  return layer_cost(
      *work, training_rates(catalogue(), node, *catalogue().find_framework(framework), precision, compile, *work), cut);
}

LayerCut cut(int micro, Recompute recompute = Recompute::kNone, AttentionKernel attention = AttentionKernel::kFlash) {
  LayerCut c;
  c.micro_batch = micro;
  c.recompute = recompute;
  c.attention = attention;
  return c;
}

void expect_same(const LayerCost& one, const LayerCost& other) {
  for (const auto part : {&LayerCost::matmul, &LayerCost::attention, &LayerCost::elementwise, &LayerCost::recompute,
                          &LayerCost::dequantise, &LayerCost::launch, &LayerCost::tensor_traffic,
                          &LayerCost::expert_traffic, &LayerCost::head, &LayerCost::head_launch})
    EXPECT_EQ((one.*part).value, (other.*part).value);
  for (const auto part : {&LayerCost::activations, &LayerCost::one_layer, &LayerCost::logits, &LayerCost::boundary})
    EXPECT_EQ((one.*part).value, (other.*part).value);
}

TEST(LayerTable, CellsAreTheCostsOfTheirCutsInWhateverOrderTheyAreAskedFor) {
  for (const char* model : {"Llama-2-7B", "Mixtral-8x7B", "BERT-large"}) {
    const TrainPhase p = phase(use_of(model), 512);
    const auto work = training_work(p);
    ASSERT_TRUE(work);
    const NodeShape node = machine("H100 SXM", 8);
    const TrainingRates rates =
        training_rates(catalogue(), node, *catalogue().find_framework("megatron"), Precision::kBf16, false, *work);
    LayerTable table(*work, 3, {.tp = 4, .cp = 2, .ep = 4});
    table.use(rates);
    for (const int tp : {1, 4, 2})
      for (const int ep : {4, 1})
        for (const Recompute first : {Recompute::kFull, Recompute::kSelective, Recompute::kNone})
          for (const Recompute recompute : {first, Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
            const LayerCut cut{tp, 2, ep, 1 << static_cast<int>(first), recompute, AttentionKernel::kFlash};
            const auto micro = static_cast<std::size_t>(first);
            const LayerCost alone = layer_cost(*work, rates, cut);
            EXPECT_EQ(table.memory_at(cut, micro).activations.value, alone.activations.value);
            expect_same(table.at(cut, micro), alone);
          }
  }
}

TEST(Activations, Gpt3ByKorthikanti) {
  // Korthikanti et al. 2022, equation 1: s b h (34 + 5 a s / h) bytes a layer. GPT-3: s = 2048, h = 12288, a = 96:
  // 2048 x 12288 x (34 + 80) = 2.87 GB a layer, 275.4 GB for 96; with the scores dropped (selective) 82.1 GB. Of the
  // 34, 2 are masks of dropout outside of attention, which networks of today do without.
  const TrainPhase p = phase(gpt(96, 12288, 96, 51200), 2048);
  const NodeShape node = machine("A100 SXM 80GB", 8);
  const double full = 96.0 * 2048 * 12288 * (32 + 5.0 * 96 * 2048 / 12288);
  const double kept = 96.0 * 2048 * 12288 * 32;
  const auto eager = cost(p, node, cut(1, Recompute::kNone, AttentionKernel::kEager), "megatron", Precision::kFp16);
  EXPECT_NEAR(eager.activations.value, full, 0.05 * full);
  const auto flash = cost(p, node, cut(1), "megatron", Precision::kFp16);
  EXPECT_NEAR(flash.activations.value, kept, 0.05 * kept);
  // Table 2 of the paper: full recomputation keeps 2 s b h a layer, 4.83 GB; beside it one layer is computed again.
  const auto recomputed = cost(p, node, cut(1, Recompute::kFull), "megatron", Precision::kFp16);
  EXPECT_NEAR(recomputed.activations.value, 96.0 * 2048 * 12288 * 2, 1);
  EXPECT_GT(recomputed.one_layer, flash.activations / 96 * 0.9);
}

TEST(Activations, RecomputationNeverKeepsMoreAndNeverSavesTime) {
  for (const char* model : {"Llama-2-7B", "Mixtral-8x7B", "BERT-large", "GPT-2"}) {
    for (const char* framework : {"torch", "megatron"}) {
      for (const AttentionKernel attention : {AttentionKernel::kEager, AttentionKernel::kFlash}) {
        const TrainPhase p = phase(use_of(model), 512);
        const NodeShape node = machine("H100 SXM", 8);
        const LayerCost none = cost(p, node, cut(4, Recompute::kNone, attention), framework);
        const LayerCost some = cost(p, node, cut(4, Recompute::kSelective, attention), framework);
        const LayerCost all = cost(p, node, cut(4, Recompute::kFull, attention), framework);
        EXPECT_LE(some.activations, none.activations) << model;
        EXPECT_LE(all.activations, some.activations) << model;
        EXPECT_GE(some.recompute, none.recompute) << model;
        EXPECT_GE(all.recompute, some.recompute) << model;
        EXPECT_EQ(none.recompute.value, 0) << model;
      }
    }
  }
}

TEST(Activations, GrowWithTheMicroBatch) {
  const TrainPhase p = phase(use_of("Llama-3.1-8B"), 2048);
  const NodeShape node = machine("H100 SXM", 8);
  const LayerCost one = cost(p, node, cut(1)), four = cost(p, node, cut(4));
  EXPECT_NEAR(four.activations / one.activations, 4, 1e-9);
  EXPECT_NEAR(four.logits / one.logits, 4, 1e-9);
}

TEST(Activations, MaskedModelsScoreTheShareOfTheTable) {
  const TrainPhase p = phase(use_of("BERT-large"), 512);
  Case r = run(p, machine("H100 SXM", 1), strategy(1, 4, 1));
  TrainingConstants constants = catalogue().training_constants;
  EXPECT_NEAR(constants.masked_share, 20.0 / 128, 0.01);
  constants.masked_share *= 3;
  r.rates.constants = &constants;
  const LayerCost more = layer_cost(r.work, r.rates, cut(4));
  EXPECT_NEAR(more.logits / r.layer.logits, 3, 1e-9);
  EXPECT_GT(more.head, r.layer.head);
}

TEST(Layer, LargeProductsAreHeldToThePowerLimit) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  NodeShape node = machine("H100 SXM", 1);
  Gpu gpu = *node.gpu;
  node.gpu = &gpu;
  const LayerCost usual = cost(p, node, cut(4));
  gpu.tdp_watts /= 2;
  const LayerCost half = cost(p, node, cut(4));
  EXPECT_GT(half.matmul, usual.matmul);
  EXPECT_LT(half.matmul / usual.matmul, std::sqrt(2.0)) << "the clock falls with the square root at most";
  EXPECT_EQ(half.elementwise.value, usual.elementwise.value);
  gpu.tdp_watts *= 1e6;
  const LayerCost free = cost(p, node, cut(4));
  gpu.tdp_watts = 0;  // unknown
  EXPECT_NEAR(cost(p, node, cut(4)).matmul / free.matmul, 1, 1e-6);
}

TEST(Layer, TensorCutOfOneSendsNothing) {
  const TrainPhase p = phase(use_of("Mixtral-8x7B"), 2048);
  const LayerCost one = cost(p, machine("H100 SXM", 8), cut(1));
  EXPECT_EQ(one.tensor_traffic.value, 0);
  EXPECT_EQ(one.expert_traffic.value, 0);
  LayerCut eight = cut(1);
  eight.tp = 8;
  const LayerCost many = cost(p, machine("H100 SXM", 8), eight, "megatron");
  EXPECT_GT(many.tensor_traffic.value, 0);
  EXPECT_LT(many.matmul, one.matmul);
  eight.tp = 1;
  eight.ep = 8;
  EXPECT_GT(cost(p, machine("H100 SXM", 8), eight, "megatron").expert_traffic.value, 0);
}

TEST(Layer, LoopsMultiplyWorkAndActivationsButNotWeights) {
  TrainPhase p = phase(gpt(12, 768, 12, 65536), 1024);
  const NodeShape node = machine("H100 SXM", 1);
  const LayerCost once = cost(p, node, cut(8));
  const double params = training_work(p)->params;
  p.models[0].loops = 2;
  const LayerCost twice = cost(p, node, cut(8));
  EXPECT_NEAR(twice.matmul / once.matmul, 2, 1e-9);
  EXPECT_NEAR(twice.activations / once.activations, 2, 1e-9);
  EXPECT_EQ(twice.head, once.head);
  EXPECT_EQ(training_work(p)->params, params);
}

TEST(Layer, SupervisionStepsMultiplyTimeOnly) {
  TrainPhase p = phase(gpt(12, 768, 12, 65536), 1024);
  const NodeShape node = machine("H100 SXM", 1);
  const LayerCost once = cost(p, node, cut(8));
  p.models[0].supervision_steps = 4;
  const LayerCost four = cost(p, node, cut(8));
  EXPECT_NEAR(four.matmul / once.matmul, 4, 1e-9);
  EXPECT_NEAR(four.launch / once.launch, 4, 1e-9);
  EXPECT_EQ(four.activations, once.activations);
}

TEST(Layer, FrozenWeightsSkipTheirGradients) {
  TrainPhase full = phase(use_of("Llama-3.1-8B"), 2048);
  TrainPhase frozen = phase(use_of("Llama-3.1-8B"), 2048, Method::kFrozen);
  frozen.models[0].frozen = true;
  frozen.trainable = 1e6;
  const NodeShape node = machine("H100 SXM", 1);
  const LayerCost all = cost(full, node, cut(2));
  const LayerCost forward = cost(frozen, node, cut(2));
  EXPECT_NEAR(forward.matmul / all.matmul, 1.0 / 3, 0.03);
  EXPECT_LT(forward.activations, all.activations * 0.1) << "nothing waits for a backward pass";
  frozen.models[0].gradient_through = true;
  const LayerCost through = cost(frozen, node, cut(2));
  EXPECT_NEAR(through.matmul / all.matmul, 2.0 / 3, 0.04);
  EXPECT_LT(through.activations, all.activations);
  EXPECT_GT(through.activations, forward.activations);
}

TEST(Layer, SeveralModelsAddUp) {
  const NodeShape node = machine("H100 SXM", 1);
  TrainPhase a = phase(use_of("Llama-3.1-8B"), 96), b = phase(use_of("Qwen2.5-7B"), 96);
  TrainPhase both = a;
  both.models.push_back(b.models[0]);
  const LayerCost x = cost(a, node, cut(4)), y = cost(b, node, cut(4)), z = cost(both, node, cut(4));
  EXPECT_NEAR(z.matmul.value, (x.matmul + y.matmul).value, 1e-12);
  EXPECT_NEAR(z.activations.value, (x.activations + y.activations).value, 1);
}

TEST(Layer, EightBitProductsAreFasterWhereTheHardwareHasThem) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 4096);
  const NodeShape node = machine("H100 SXM", 8);
  const LayerCost bf16 = cost(p, node, cut(4), "megatron"), fp8 = cost(p, node, cut(4), "megatron", Precision::kFp8);
  EXPECT_LT(fp8.matmul, bf16.matmul * 0.7);
  EXPECT_GT(fp8.elementwise * 1.2, bf16.elementwise) << "casts cost something";
}

TEST(Layer, EagerAttentionIsSlowerAndKeepsTheScores) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  const NodeShape node = machine("A100 SXM 80GB", 8);
  const LayerCost flash = cost(p, node, cut(1)),
                  eager = cost(p, node, cut(1, Recompute::kNone, AttentionKernel::kEager));
  EXPECT_GT(eager.attention, flash.attention * 2);
  // 32 heads x 2048 x 7 bytes a token and layer on top.
  EXPECT_NEAR((eager.activations - flash.activations).value, 32.0 * 2048 * 32 * 2048 * 7, 1e6);
}

TEST(Layer, SlidingWindowSavesAttention) {
  ModelUse use = use_of("Llama-2-7B");
  const NodeShape node = machine("H100 SXM", 1);
  const LayerCost all = cost(phase(use, 16384), node, cut(1));
  use.shape.window = 1024;
  use.shape.window_layers = use.shape.layers;
  const LayerCost near = cost(phase(use, 16384), node, cut(1));
  // Pairs: 16384 x 1024 - 1024^2 / 2 against 16384^2 / 2.
  EXPECT_NEAR(near.attention / all.attention, (16384.0 * 1024 - 524288) / (16384.0 * 16384 / 2), 1e-3);
}

TEST(Layer, CustomNetworkByItsTotals) {
  TrainPhase p;
  ModelUse use;
  use.custom = CustomModel{5.75e6, Flops{1e9}, Bytes{1e6}, 300};
  p.models.push_back(use);
  p.data.samples = 70150;
  const NodeShape node = machine("RTX 4090", 1);
  const LayerCost one = cost(p, node, cut(256)), two = cost(p, node, cut(512));
  EXPECT_NEAR(two.matmul / one.matmul, 2, 1e-9);
  EXPECT_EQ(two.activations.value, 512e6);
  EXPECT_EQ(two.launch, one.launch) << "launches do not depend on the batch";
  EXPECT_GT(one.launch.value, 1e-3);
}

TEST(Layer, VisionTransformerBringsItsOwnTokens) {
  ModelUse use;
  ModelShape& s = use.shape;
  s.kind = ModelKind::kVit;
  s.layers = 12;
  s.hidden = 768;
  s.heads = s.kv_heads = 12;
  s.head_dim = 64;
  s.ffn = 3072;
  s.gated = false;
  s.image = 224;
  s.patch = 16;
  s.channels = 3;
  TrainPhase p;
  p.models.push_back(use);
  p.data.samples = 1.28e6;
  const auto work = training_work(p);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->sequence, 197);  // 14 x 14 patches and the class token
  const LayerCost c = cost(p, machine("A100 SXM 80GB", 1), cut(64));
  EXPECT_GT(c.matmul.value, 0);
}

TEST(TrainingLayer, NamedAttentionKernelsDifferOnNewGpus) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 16384);
  const NodeShape node = machine("H100 SXM", 1);
  Strategy s = strategy(1, 1, 1);
  double last = 0;
  for (const AttentionKernel kernel :
       {AttentionKernel::kFlash3, AttentionKernel::kFlash2, AttentionKernel::kFlash1, AttentionKernel::kEager}) {
    s.attention = kernel;
    const double time = run(p, node, s).layer.attention.value;
    EXPECT_GT(time, last) << name_of(kernel);
    last = time;
  }
  s.attention = AttentionKernel::kCudnn;
  const Seconds cudnn = run(p, node, s).layer.attention;
  s.attention = AttentionKernel::kFlash3;
  EXPECT_EQ(cudnn, run(p, node, s).layer.attention);
}

TEST(TrainingLayer, CompilersFuseWhatRunsOperationByOperation) {
  const TrainPhase p = phase(use_of("Llama-2-7B"), 2048);
  Strategy eager = strategy(1, 1, 1), compiled = eager;
  compiled.compile = true;
  const NodeShape a100 = machine("A100 SXM 80GB", 1);
  const double gain = run(p, a100, eager).layer.elementwise / run(p, a100, compiled).layer.elementwise;
  EXPECT_GT(gain, 1.5) << "root-mean-square norms and rotary embeddings";
  // GPT's layer norms are one kernel everywhere.
  const TrainPhase gpt2 = phase(gpt(12, 768, 12, 50257), 1024);
  EXPECT_LT(run(gpt2, a100, eager).layer.elementwise / run(gpt2, a100, compiled).layer.elementwise, gain);
  // Triton has no good code for Volta.
  const NodeShape v100 = machine("V100 SXM2 32GB", 1);
  eager.precision = compiled.precision = Precision::kFp16;
  EXPECT_EQ(run(p, v100, eager).layer.elementwise, run(p, v100, compiled).layer.elementwise);
}

}  // namespace
}  // namespace gpuplan
