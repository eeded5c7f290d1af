#include "evidence/validation/generation_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "../model/training_fixture.h"
#include "evidence/validation/generation_setup.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;

/// Llama-3-8B on one H100, a static batch of 16, everything stated.
GenerationRun stated() {
  GenerationRun run;
  run.id = "own-1";
  run.gpu = "H100 SXM";
  run.gpus = run.tp = run.pp = run.replicas = 1;
  run.framework = "vllm";
  run.model = "llama-3-8b";
  run.shape = *catalogue().find_model("Llama-3-8B");
  run.weights = run.kv_cache = Format::kBf16;
  run.input_tokens = 512;
  run.output_tokens = 128;
  run.batch = 16;
  run.mode = GenerationMode::kStatic;
  run.rate_counts = RateCounts::kAll;
  run.output_rate = TokensPerSecond{1500};
  return run;
}

GenerationRun deepseek(int gpus) {
  GenerationRun run = stated();
  run.model = "deepseek-v3";
  run.shape = *catalogue().find_model("DeepSeek-V3");
  run.gpu = "H200 SXM";
  run.gpus = run.tp = gpus;
  run.weights = Format::kFp8;
  run.mode = GenerationMode::kConcurrency;
  return run;
}

double predicted(const GenerationRun& run, Metric metric = Metric::kOutputRate) {
  const RunPrediction prediction = predict_generation_run(catalogue(), run);
  EXPECT_EQ(prediction.refused, "");
  const auto at = std::ranges::find(prediction.metrics, metric, &MetricPrediction::metric);
  return at != prediction.metrics.end() ? at->predicted.p50 : 0;
}

bool assumes(const GenerationRun& run, std::string_view words) {
  const auto all = generation_setup(catalogue(), run).assumptions;
  return std::ranges::any_of(all, [&](const std::string& each) { return each.find(words) != std::string::npos; });
}

TEST(GenerationPrediction, AssumesNothingOfARunThatSaysAll) {
  const RunPrediction prediction = predict_generation_run(catalogue(), stated());
  EXPECT_EQ(prediction.refused, "");
  EXPECT_TRUE(prediction.assumptions.empty()) << prediction.assumptions.front();
  ASSERT_EQ(prediction.metrics.size(), 1U);
  EXPECT_EQ(prediction.metrics[0].judged, Judged::kStatic);
  const Interval<double>& rate = prediction.metrics[0].predicted;
  EXPECT_GT(rate.p10, 0);
  EXPECT_GT(rate.p50, rate.p10);
  EXPECT_GT(rate.p90, rate.p50);
}

TEST(GenerationPrediction, NeverLooksAtWhatWasMeasured) {
  GenerationRun run = stated();
  run.total_rate = TokensPerSecond{1};
  run.first_token = run.per_token = Seconds{1};
  run.memory = units::GiB * 1.0;
  const RunPrediction first = predict_generation_run(catalogue(), run);
  run.output_rate = TokensPerSecond{7};
  run.total_rate = TokensPerSecond{7};
  run.first_token = run.per_token = Seconds{7};
  run.memory = units::GiB * 7.0;
  const RunPrediction second = predict_generation_run(catalogue(), run);
  ASSERT_EQ(first.metrics.size(), 5U);
  for (std::size_t i = 0; i < first.metrics.size(); ++i)
    EXPECT_EQ(first.metrics[i].predicted, second.metrics[i].predicted);
}

TEST(GenerationPrediction, FiguresOfOneRunFitTogether) {
  GenerationRun run = stated();
  run.total_rate = TokensPerSecond{1};
  EXPECT_NEAR(predicted(run, Metric::kTotalRate) / predicted(run), (512 + 128) / 128.0, 1e-9);
  // A rate over decoding alone is the batch over the time of a token.
  run.rate_counts = RateCounts::kDecode;
  run.per_token = Seconds{1};
  EXPECT_NEAR(predicted(run) * predicted(run, Metric::kPerToken) / 1e3, 16, 1e-9);
  GenerationRun all = stated();
  EXPECT_GT(predicted(run), predicted(all));
  // A prompt read alone: its tokens over the time to the first token.
  run = stated();
  run.mode = GenerationMode::kPrefill;
  run.output_rate.reset();
  run.prefill_rate = TokensPerSecond{1};
  run.first_token = Seconds{1};
  EXPECT_NEAR(predicted(run, Metric::kPrefillRate) * predicted(run, Metric::kFirstToken) / 1e3, 16 * 512, 1e-6);
}

TEST(GenerationPrediction, FiguresAreCountedByHowRequestsCame) {
  const std::pair<GenerationMode, Judged> kinds[] = {{GenerationMode::kSingle, Judged::kSingle},
                                                     {GenerationMode::kStatic, Judged::kStatic},
                                                     {GenerationMode::kConcurrency, Judged::kConcurrency},
                                                     {GenerationMode::kSaturated, Judged::kSaturated}};
  for (const auto& [mode, judged] : kinds) {
    GenerationRun run = stated();
    run.mode = mode;
    if (mode == GenerationMode::kSingle) run.batch = 1;
    run.first_token = run.per_token = Seconds{1};
    run.memory = units::GiB * 1.0;
    const RunPrediction prediction = predict_generation_run(catalogue(), run);
    ASSERT_EQ(prediction.metrics.size(), 4U) << prediction.refused;
    const bool loaded = mode == GenerationMode::kConcurrency || mode == GenerationMode::kSaturated;
    EXPECT_EQ(prediction.metrics[0].judged, judged);
    EXPECT_EQ(prediction.metrics[1].judged, loaded ? Judged::kFirstToken : Judged::kPrefill);
    EXPECT_EQ(prediction.metrics[2].judged, Judged::kPerToken);
    EXPECT_EQ(prediction.metrics[3].judged, Judged::kServingMemory);
    EXPECT_EQ(measured_figures(run).size(), 4U);
  }
}

TEST(GenerationPrediction, RefusesWhatCannotBeGuessed) {
  GenerationRun run = stated();
  run.gpu = "Imaginary 9000";
  EXPECT_NE(predict_generation_run(catalogue(), run).refused.find("Imaginary 9000"), std::string::npos);
  run = stated();
  run.shape.reset();
  EXPECT_NE(predict_generation_run(catalogue(), run).refused.find("shape"), std::string::npos);
  run = stated();
  run.weights = Format::kQ4K;
  EXPECT_NE(predict_generation_run(catalogue(), run).refused.find("q4_k_m"), std::string::npos);
  EXPECT_TRUE(explain_generation_run(catalogue(), run).empty());
  run = stated();
  run.tp = run.pp = run.replicas = 10'000'000;
  EXPECT_NE(predict_generation_run(catalogue(), run).refused.find("at most"), std::string::npos);
}

TEST(GenerationPrediction, ARunLongerThanItsModelReadsWasRunAllTheSame) {
  GenerationRun run = stated();
  run.input_tokens = 60'000;  // Llama-3 reads 8192
  EXPECT_EQ(predict_generation_run(catalogue(), run).refused, "");
}

TEST(GenerationPrediction, TermsAddUpToTheTimeOfTheRun) {
  const GenerationRun run = stated();
  double sum = 0;
  for (const Term& term : explain_generation_run(catalogue(), run))
    if (term.kind == Term::Kind::kTime && term.part_of_total) sum += term.value;
  EXPECT_NEAR(16 * 128 / sum, predicted(run), 1e-6 * predicted(run));
}

TEST(GenerationPrediction, ACacheSetAsideForMoreTakesMoreMemory) {
  GenerationRun run = stated();
  run.memory = units::GiB * 1.0;
  const double tight = predicted(run, Metric::kPeakMemory);
  run.cache_tokens = 8192;
  EXPECT_GT(predicted(run, Metric::kPeakMemory), tight + 1);
}

TEST(GenerationSetup, NamesWhatItAssumes) {
  GenerationRun run;
  run.gpu = "H100 SXM";
  run.framework = "an-engine";
  run.shape = *catalogue().find_model("Llama-3-8B");
  run.per_token = Seconds{1};
  for (const char* words :
       {"engine an-engine", "weights: bf16", "KV cache: bf16", "mode: single", "input: 512", "output: 128", "GPUs: 1"})
    EXPECT_TRUE(assumes(run, words)) << words;
  run.first_token = run.per_token;
  run.batch = 8;
  EXPECT_TRUE(assumes(run, "mode: concurrency"));
  run.first_token.reset();
  EXPECT_TRUE(assumes(run, "mode: static"));
}

TEST(GenerationSetup, TheCacheFollowsTheEngine) {
  GenerationRun run = stated();
  run.kv_cache.reset();
  run.weights = Format::kFp8;
  EXPECT_EQ(generation_setup(catalogue(), run).kv_cache, Format::kFp16);
  run.framework = "trtllm";
  EXPECT_EQ(generation_setup(catalogue(), run).kv_cache, Format::kFp8);
  run.weights = Format::kInt4;
  EXPECT_EQ(generation_setup(catalogue(), run).kv_cache, Format::kFp16);
}

TEST(GenerationSetup, GpusThatACutDoesNotUseShareTheExperts) {
  GenerationRun run = deepseek(8);
  run.tp = 1;
  run.ep = 8;
  const Strategy shared = generation_setup(catalogue(), run).strategy;
  EXPECT_EQ(shared.dp, 8);
  EXPECT_EQ(shared.ep, 8);
  EXPECT_EQ(shared.tp, 1);
  run = stated();  // a dense model has none to share: those are replicas
  run.gpus = 8;
  run.replicas.reset();
  const Strategy replicas = generation_setup(catalogue(), run).strategy;
  EXPECT_EQ(replicas.dp, 8);
  EXPECT_EQ(replicas.ep, 1);
  EXPECT_EQ(replicas.micro_batch, 2);
}

TEST(GenerationSetup, LatentAttentionIsDataParallelOnceThereAreRequestsForAll) {
  GenerationRun run = deepseek(8);
  run.batch = 63;
  EXPECT_EQ(generation_setup(catalogue(), run).strategy.tp, 8);
  run.batch = 64;
  const Strategy parted = generation_setup(catalogue(), run).strategy;
  EXPECT_EQ(parted.tp, 1);
  EXPECT_EQ(parted.dp, 8);
  EXPECT_EQ(parted.ep, 8);
  EXPECT_TRUE(assumes(run, "data parallel over 8"));
}

TEST(GenerationSetup, ACutThatIsNotStatedFitsTheModel) {
  GenerationRun run = stated();
  run.model = "llama-3-70b";
  run.shape = *catalogue().find_model("Llama-3-70B");
  run.gpus = 8;
  run.tp.reset();
  run.pp.reset();
  run.replicas.reset();
  const Strategy strategy = generation_setup(catalogue(), run).strategy;  // 141 GB in halves of 80 GB cards
  EXPECT_EQ(strategy.tp, 4);
  EXPECT_EQ(strategy.dp, 2);
  EXPECT_TRUE(assumes(run, "tensor parallel: 4"));
}

TEST(GenerationSetup, RacksAreJoinedAsAWhole) {
  GenerationRun run = deepseek(32);
  run.gpu = "GB200";
  const GenerationSetup rack = generation_setup(catalogue(), run);
  EXPECT_EQ(rack.nodes, 1);
  EXPECT_GT(rack.node.link.value, 0);
  run.gpu = "H200 SXM";
  EXPECT_EQ(generation_setup(catalogue(), run).nodes, 4);
  EXPECT_TRUE(assumes(run, "network"));
  run.inter_node_gbps = 400;
  EXPECT_EQ(generation_setup(catalogue(), run).node.network.value, 50e9);
}

TEST(GenerationSetup, APowerLimitBindsTheCard) {
  GenerationRun run = stated();
  run.gpu_power_w = 330;
  EXPECT_EQ(generation_setup(catalogue(), run).gpu.tdp_watts, 330);
}

TEST(GenerationSetup, WhatARateCountsFollowsFromWhatIsPrintedBesideIt) {
  const auto counted = [](const GenerationRun& run) { return generation_setup(catalogue(), run).rate_counts; };
  GenerationRun run = stated();
  run.rate_counts.reset();
  EXPECT_EQ(counted(run), RateCounts::kAll);
  run.prefill_rate = TokensPerSecond{1000};
  EXPECT_EQ(counted(run), RateCounts::kDecode);
  run.prefill_rate.reset();
  run.first_token = Seconds{1};
  EXPECT_EQ(counted(run), RateCounts::kDecode);
  run.per_token = Seconds{1};
  EXPECT_EQ(counted(run), RateCounts::kAll);
  run.first_token.reset();
  run.framework = "llama.cpp";
  run.weights = Format::kQ8_0;
  EXPECT_EQ(counted(run), RateCounts::kDecode);
  run.mode = GenerationMode::kConcurrency;
  EXPECT_EQ(counted(run), RateCounts::kAll);
}

TEST(GenerationSetup, OneRequestKeepsOneReplicaBusy) {
  GenerationRun run = stated();
  run.mode = GenerationMode::kSingle;
  run.batch = 1;
  const double one = predicted(run);
  run.gpus = run.replicas = 8;
  EXPECT_NEAR(predicted(run) / one, 1, 1e-9);
  run.mode = GenerationMode::kConcurrency;
  run.batch = 4;
  const double four = predicted(run);
  run.gpus = run.replicas = 4;
  EXPECT_NEAR(predicted(run) / four, 1, 0.03);  // the tail is shared by more replicas
}

TEST(GenerationSetup, LlamaCppHasFormatsOfItsOwn) {
  GenerationRun run = stated();
  run.framework = "llama.cpp";
  run.weights = Format::kInt4;
  EXPECT_EQ(generation_setup(catalogue(), run).weights, Format::kQ4_0);
  EXPECT_TRUE(assumes(run, "int4: as q4_0"));
}

}  // namespace
}  // namespace gpuplan
