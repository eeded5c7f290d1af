#include "evidence/validation/run_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../model/training_fixture.h"
#include "evidence/validation/run_setup.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;

/// Llama-3-8B on eight H100, everything stated.
TrainingRun stated() {
  TrainingRun run;
  run.id = "own-1";
  run.gpu = "H100 SXM";
  run.gpus = run.gpus_per_node = 8;
  run.nvlink = true;
  run.framework = "torchtitan";
  run.model = "llama-3-8b";
  run.shape = *catalogue().find_model("Llama-3-8B");
  run.sequence = 8192;
  run.micro_batch = 1;
  run.grad_accum = 4;
  run.global_batch = 32;
  run.dp = 8;
  run.tp = run.pp = run.cp = run.ep = run.vpp = 1;
  run.sharding = Sharding::kZero3;
  run.recompute = Recompute::kSelective;
  run.precision = Precision::kBf16;
  run.optimizer = Optimizer::kAdamW;
  run.offload = Offload::kNone;
  run.method = Method::kFull;
  run.attention = AttentionKernel::kFlash2;
  run.compile = true;
  run.step = Seconds{5};
  return run;
}

TEST(RunPrediction, AssumesNothingOfARunThatSaysAll) {
  const RunPrediction prediction = predict_run(catalogue(), stated());
  EXPECT_EQ(prediction.refused, "");
  EXPECT_TRUE(prediction.assumptions.empty()) << prediction.assumptions.front();
  ASSERT_EQ(prediction.metrics.size(), 1U);
  const Interval<double>& step = prediction.metrics[0].predicted;
  EXPECT_GT(step.p50, step.p10);
  EXPECT_GT(step.p90, step.p50);
}

TEST(RunPrediction, NeverLooksAtWhatWasMeasured) {
  TrainingRun run = stated();
  const double first = predict_run(catalogue(), run).metrics[0].predicted.p50;
  run.step = Seconds{500};
  run.memory = units::GiB * 3.0;
  EXPECT_EQ(predict_run(catalogue(), run).metrics[0].predicted.p50, first);
}

TEST(RunPrediction, StepAndTokenRateSayTheSame) {
  TrainingRun run = stated();
  run.token_rate = TokensPerSecond{6000};
  const RunPrediction prediction = predict_run(catalogue(), run);
  ASSERT_EQ(prediction.metrics.size(), 2U);
  const double step = prediction.metrics[0].predicted.p50, rate = prediction.metrics[1].predicted.p50;
  EXPECT_NEAR(step * rate * 8, 32.0 * 8192, 1e-6 * 32 * 8192);
  EXPECT_NEAR(prediction.metrics[0].predicted.p10 * prediction.metrics[1].predicted.p90 * 8, 32.0 * 8192, 1e-3);
}

TEST(RunPrediction, AllocatedIsLessThanReservedIsLessThanDevice) {
  TrainingRun run = stated();
  run.memory = units::GiB * 50.0;
  double last = 0;
  for (const MemoryKind kind : {MemoryKind::kAllocated, MemoryKind::kReserved, MemoryKind::kDevice}) {
    run.memory_kind = kind;
    const double gib = predict_run(catalogue(), run).metrics.back().predicted.p50;
    EXPECT_GT(gib, last);
    last = gib;
  }
}

TEST(RunPrediction, RefusesWhatCannotBeComputedAndSaysWhy) {
  TrainingRun run = stated();
  run.gpu = "Abacus 3000";
  EXPECT_NE(predict_run(catalogue(), run).refused.find("Abacus 3000"), std::string::npos);
  run = stated();
  run.shape.reset();
  const RunPrediction prediction = predict_run(catalogue(), run);
  EXPECT_NE(prediction.refused.find("shape"), std::string::npos);
  EXPECT_TRUE(prediction.metrics.empty());
  EXPECT_TRUE(explain_run(catalogue(), run).empty());
}

TEST(RunPrediction, ErrorsHaveTheSignOfTime) {
  MetricPrediction step{Metric::kStepSeconds, 1, {1, 2, 3}};
  EXPECT_NEAR(step.log_error(), 0.6931, 1e-4);
  MetricPrediction rate{Metric::kTokenRate, 1, {1, 2, 3}};
  EXPECT_NEAR(rate.log_error(), -0.6931, 1e-4);
}

TEST(RunPrediction, ExplanationsAddUpToTheStep) {
  const TrainingRun run = stated();
  double sum = 0;
  for (const Term& term : explain_run(catalogue(), run))
    if (term.kind == Term::Kind::kTime && term.part_of_total) sum += term.value;
  EXPECT_NEAR(sum, predict_run(catalogue(), run).metrics[0].predicted.p50, 1e-9);
}

TEST(RunSetup, NamesEverythingItAssumes) {
  TrainingRun run;
  run.gpu = "H100 SXM";
  run.gpus = 16;
  run.shape = *catalogue().find_model("Llama-3-8B");
  run.from_scratch = true;
  const RunSetup setup = run_setup(catalogue(), run);
  ASSERT_EQ(setup.refused, "");
  EXPECT_EQ(setup.nodes, 2);
  for (const char* word : {"framework", "precision", "recompute", "attention", "optimizer", "sequence", "micro-batch",
                           "accumulation", "network", "sharding"})
    EXPECT_TRUE(std::ranges::any_of(setup.assumptions, [&](const std::string& text) {
      return text.find(word) != std::string::npos;
    })) << word;
  EXPECT_FALSE(setup.batch_known);
  EXPECT_FALSE(setup.degrees_known);
}

TEST(RunSetup, CutsLargeNetworksUntilTheyFit) {
  TrainingRun run;
  run.gpu = "A100 SXM 80GB";
  run.gpus = 512;
  run.gpus_per_node = 8;
  run.framework = "megatron";
  run.shape = *catalogue().find_model("GPT-3-175B");
  const RunSetup setup = run_setup(catalogue(), run);
  EXPECT_EQ(setup.strategy.tp, 8);
  EXPECT_EQ(setup.strategy.pp, 16);
  EXPECT_EQ(setup.strategy.dp, 4);
  EXPECT_EQ(setup.strategy.sharding, Sharding::kZero1);
}

TEST(RunSetup, BatchesFollowFromWhatIsKnown) {
  TrainingRun run = stated();
  run.grad_accum.reset();
  EXPECT_EQ(run_setup(catalogue(), run).strategy.grad_accum, 4);
  run.micro_batch.reset();
  run.grad_accum = 2;
  EXPECT_EQ(run_setup(catalogue(), run).strategy.micro_batch, 2);
  run = stated();
  run.global_batch.reset();
  EXPECT_EQ(run_setup(catalogue(), run).global_batch, 32);
  EXPECT_TRUE(run_setup(catalogue(), run).batch_known);
}

TEST(RunSetup, APowerCapSlowsOnlyComputing) {
  TrainingRun run = stated();
  const double free = predict_run(catalogue(), run).metrics[0].predicted.p50;
  run.gpu_power_w = 350;
  const RunSetup setup = run_setup(catalogue(), run);
  EXPECT_EQ(setup.gpu.tdp_watts, 350);
  EXPECT_EQ(setup.gpu.bf16.value, setup.catalogue_gpu->bf16.value);
  const double capped = predict_run(catalogue(), run).metrics[0].predicted.p50;
  EXPECT_GT(capped, free);
  EXPECT_LT(capped, 2 * free);
  run.gpu_power_w = 5000;  // no card is made faster by a limit above its own
  EXPECT_EQ(predict_run(catalogue(), run).metrics[0].predicted.p50, free);
}

TEST(RunSetup, RecomputationIsConcludedFromWhatFits) {
  // Llama-2-7B on one 80 GiB card, 8-bit AdamW on 16-bit weights: 6 bytes a parameter; 8 sequences of 4096 tokens keep
  // about 32 x 32768 x 34 x 4096 x 2 bytes = 290 GB, their inputs of layers 8.6 GB.
  TrainingRun run;
  run.gpu = "A100 SXM 80GB";
  run.gpus = 1;
  run.framework = "hf-trainer";
  run.shape = *catalogue().find_model("Llama-2-7B");
  run.sequence = 4096;
  run.micro_batch = 8;
  run.grad_accum = 1;
  run.method = Method::kFull;
  run.precision = Precision::kBf16;
  run.optimizer = Optimizer::kAdam8bit;
  run.step = Seconds{5};
  const RunPrediction concluded = predict_run(catalogue(), run);
  EXPECT_EQ(concluded.strategy.recompute, Recompute::kFull);
  EXPECT_TRUE(std::ranges::any_of(concluded.assumptions, [](const std::string& one) {
    return one == "recompute: full, else it would not have fitted";
  }));
  run.recompute = Recompute::kNone;  // what is stated stays
  EXPECT_EQ(predict_run(catalogue(), run).strategy.recompute, Recompute::kNone);
  run.recompute.reset();
  run.micro_batch = 1;
  run.sequence = 256;
  EXPECT_EQ(predict_run(catalogue(), run).strategy.recompute, Recompute::kNone);
}

TEST(RunSetup, StacksOfManyWaysHoldGradientsAsReducedAndRecomputeAllWhereNothingLessFits) {
  // Llama-2-13B on two ranks of tensors, ZeRO-1 over 32: 16-bit weights take 13 GB a rank, 32-bit gradients 26 GB,
  // 16-bit ones 13 GB.
  TrainingRun run;
  run.gpu = "A100 SXM 40GB";
  run.gpus = 64;
  run.gpus_per_node = 8;
  run.framework = "nemo";
  run.shape = *catalogue().find_model("Llama-2-13B");
  run.sequence = 1024;
  run.micro_batch = 1;
  run.grad_accum = 1;
  run.tp = 2;
  run.pp = 1;
  run.dp = 32;
  run.sharding = Sharding::kZero1;
  run.method = Method::kFull;
  run.precision = Precision::kBf16;
  run.optimizer = Optimizer::kAdamW;
  run.step = Seconds{5};
  const auto says = [](const RunPrediction& p, std::string_view words) {
    return std::ranges::any_of(p.assumptions, [&](const std::string& one) { return one == words; });
  };
  constexpr std::string_view kGradients = "gradients: as they are reduced, else it would not have fitted";
  const RunPrediction tight = predict_run(catalogue(), run);
  EXPECT_TRUE(says(tight, kGradients));
  run.gpu = "A100 SXM 80GB";
  const RunPrediction roomy = predict_run(catalogue(), run);
  EXPECT_FALSE(says(roomy, kGradients));
  EXPECT_NEAR(tight.estimate.memory.gradients / roomy.estimate.memory.gradients, 0.5, 1e-12);
  // Megatron reduces and holds the same 32 bit: there is nothing to conclude.
  run.gpu = "A100 SXM 40GB";
  run.framework = "megatron";
  EXPECT_FALSE(says(predict_run(catalogue(), run), kGradients));
  // What cannot have fitted at all ran with the least that is known.
  run.tp = 1;
  run.dp = 64;
  run.sequence = 4096;
  run.micro_batch = 4;
  const RunPrediction hopeless = predict_run(catalogue(), run);
  EXPECT_TRUE(says(hopeless, "recompute: full, as nothing less can have fitted"));
  run.recompute = Recompute::kNone;  // what is stated stays
  const RunPrediction stated = predict_run(catalogue(), run);
  EXPECT_FALSE(says(stated, "recompute: full, as nothing less can have fitted"));
  EXPECT_LT(hopeless.estimate.memory.activations, 0.5 * stated.estimate.memory.activations);
}

TEST(RunSetup, WeightsThatAreTheirOwnMastersGoToTheHostWithTheStatesWhereTheyMust) {
  // Qwen2.5-7B in 16 bit, states on the host: weights and gradients take 28 GiB.
  TrainingRun run;
  run.gpu = "RTX 4090";
  run.gpus = 1;
  run.framework = "llmq";
  run.shape = *catalogue().find_model("Qwen2.5-7B");
  run.sequence = 1024;
  run.micro_batch = 1;
  run.grad_accum = 16;
  run.precision = Precision::kFp8;
  run.master_weights = Format::kBf16;
  run.recompute = Recompute::kFull;
  run.offload = Offload::kOptimizer;
  const RunPrediction tight = predict_run(catalogue(), run);
  EXPECT_EQ(tight.strategy.offload, Offload::kOptimizerParams);
  EXPECT_TRUE(std::ranges::any_of(tight.assumptions, [](const std::string& one) {
    return one == "offload: optimizer+params, else it would not have fitted";
  }));
  EXPECT_LT(tight.estimate.memory.total().value, catalogue().find_gpu("RTX 4090")->usable.value);
  run.gpu = "RTX PRO 6000 Blackwell Server";  // where it fits nothing is concluded
  EXPECT_EQ(predict_run(catalogue(), run).strategy.offload, Offload::kOptimizer);
  run.gpu = "RTX 4090";
  run.master_weights = Format::kFp32;  // those have weights of their own beside them
  EXPECT_EQ(predict_run(catalogue(), run).strategy.offload, Offload::kOptimizer);
  run.master_weights = Format::kBf16;
  run.settled = true;  // nothing is open
  EXPECT_EQ(predict_run(catalogue(), run).strategy.offload, Offload::kOptimizer);
}

TEST(RunSetup, MicroBatchesNobodyStatedShrinkUntilTheyFit) {
  TrainingRun run = stated();
  run.sequence = 1024;
  run.micro_batch.reset();
  run.grad_accum.reset();
  run.global_batch = 1024;
  run.recompute = Recompute::kNone;
  run.gpu = "L40S";
  RunSetup setup = run_setup(catalogue(), run);
  ASSERT_TRUE(setup.micro_assumed);
  const int micro = setup.strategy.micro_batch;
  EXPECT_GT(micro, 1);
  const RunPrediction prediction = predict_run(catalogue(), run);
  EXPECT_LT(prediction.strategy.micro_batch, micro);
  EXPECT_EQ(prediction.strategy.micro_batch * prediction.strategy.grad_accum, 1024 / 8);
}

TEST(RunSetup, StacksThatCutNetworksAreNotTakenToRecomputeEverything) {
  TrainingRun run;
  run.gpu = "H100 SXM";
  run.gpus = 8;
  run.framework = "megatron";
  run.shape = *catalogue().find_model("Llama-2-7B");
  run.sequence = 4096;
  run.micro_batch = 8;
  run.grad_accum = 1;
  run.tp = run.pp = 1;
  run.step = Seconds{5};
  EXPECT_EQ(predict_run(catalogue(), run).strategy.recompute, Recompute::kNone);
}

TEST(RunSetup, AdaptersOfOneFrameworkSitWhereItsRecipesPutThem) {
  TrainingRun run = stated();
  run.method = Method::kLora;
  run.framework = "hf-trainer";
  EXPECT_EQ(run_setup(catalogue(), run).phase.lora.targets.at(0), "all-linear");
  run.framework = "litgpt";
  EXPECT_EQ(run_setup(catalogue(), run).phase.lora.targets.at(0), "attention");
}

TEST(RunPrediction, ReadsHowLossStepAndLayersRun) {
  TrainingRun run = stated();
  run.recompute = Recompute::kNone;
  run.gpu = "B200";
  const auto memory = [&] { return predict_run(catalogue(), run).estimate.memory; };
  const MemoryUse none = memory();
  run.recompute = Recompute::kFull;
  const MemoryUse full = memory();
  // Every second layer recomputed: half way between.
  run.recompute = Recompute::kSelective;
  run.recomputed_layers = 0.5;
  EXPECT_NEAR(memory().activations.value, (none.activations + full.activations).value / 2,
              1e-6 * none.activations.value);
  run.recomputed_layers.reset();
  // A loss that is not compiled with the layers keeps more for each logit.
  const TrainingSoftware& titan = software_of(catalogue(), "torchtitan");
  const double compiled = memory().logits.value;
  run.compiled_loss = false;
  EXPECT_NEAR(memory().logits.value / compiled, titan.logit_bytes / titan.logit_bytes_compiled, 1e-9);
  // A step over one flat tensor that is not one kernel needs two more of its size.
  run = stated();
  run.gpu = "B200";
  run.framework = "internevo";
  run.compile = false;
  run.gpus = run.dp = 1;
  run.sharding = Sharding::kNone;
  run.recompute = Recompute::kFull;
  run.sequence = 128;
  const MemoryUse fused = memory();
  run.fused_optimizer = false;
  EXPECT_NEAR((memory().buffers - fused.buffers).value, 8 * count_parameters(*run.shape).total(), 1e6);
}

TEST(RunSetup, ReadsWhatATableSaysOfKernels) {
  TrainingRun run = stated();
  run.compile = false;
  const double separate = predict_run(catalogue(), run).metrics[0].predicted.p50;
  run.fused_kernels = true;
  EXPECT_LT(predict_run(catalogue(), run).metrics[0].predicted.p50, separate) << "norms are a kernel each";
}

TEST(RunSetup, RefusesMoreStagesThanLayers) {
  TrainingRun run = stated();
  run.gpus = run.pp = 64;
  run.dp = 1;
  EXPECT_EQ(run_setup(catalogue(), run).refused, "64 stages of 32 layers");
}

TEST(RunSetup, FusedStacksKeepScoresWhereNoFusedAttentionRuns) {
  TrainingRun run = stated();
  run.attention.reset();
  run.gpu = "V100 SXM2 32GB";
  run.precision = Precision::kFp16;
  run.framework = "megatron-deepspeed";
  EXPECT_EQ(run_setup(catalogue(), run).strategy.attention, AttentionKernel::kEager);
  run.gpu = "A100 SXM 80GB";
  EXPECT_EQ(run_setup(catalogue(), run).strategy.attention, AttentionKernel::kFlash);
}

}  // namespace
}  // namespace gpuplan
