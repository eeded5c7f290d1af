#include "evidence/scores/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "base/math.h"

namespace gpuplan {
namespace {

/// Runs made by hand, with predictions that are given in place of the model's, and an error model of four parts.
class Pairs : public testing::Test {
 protected:
  Pairs() {
    cards[0].name = "one";
    cards[1].name = "other";
    for (auto& figure : model.components)
      for (ErrorComponent& component : figure) component = {0, 0};
    set(ErrorPart::kSite, 0.5);
    set(ErrorPart::kConfiguration, 0.1);
    set(ErrorPart::kCard, 0.3);
    set(ErrorPart::kExperts, 0.7);
  }

  void set(ErrorPart part, double deviation) {
    for (const ErrorFigure figure : {ErrorFigure::kTime, ErrorFigure::kRate})
      model.components[index_of(figure)][index_of(part)] = {deviation, deviation};
  }

  /// A step of 8 sequences of 1,000 tokens on that card, measured and predicted in seconds.
  PredictedRun& step(const std::string& source, double measured, double median, int card = 0) {
    TrainingRun& run = training.emplace_back();
    run.id = source + std::to_string(training.size());
    run.source = source;
    run.model = "Net";
    run.gpus = 1;
    run.sequence = 1000;
    run.global_batch = 8;
    run.step = Seconds{measured};
    PredictedRun& predicted = runs.emplace_back(&run, RunPrediction{});
    predicted.prediction.gpu = &cards[card];
    predicted.prediction.metrics.push_back({Metric::kStepSeconds, measured, {median / 1.2, median, median * 1.2}});
    predicted.prediction.spread.labels.card = cards[card].name;
    predicted.prediction.strategy.micro_batch = 8;
    return predicted;
  }
  std::vector<RunPair> time_pairs() const { return pairs_of(model, runs, ErrorFigure::kTime); }

  Gpu cards[2];
  ErrorModel model;
  std::deque<TrainingRun> training;
  std::deque<GenerationRun> generation;
  std::vector<PredictedRun> runs;
};

const double kLn2 = math::log(2.0);

TEST_F(Pairs, TheErrorIsThatOfTheRatioAndWhatBothHaveCancels) {
  // Measured 1 : 4, predicted 2 : 16. Each is too slow; the ratio is off by a half.
  step("a", 1, 2);
  step("a", 4, 16, 1);
  const auto pairs = time_pairs();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].differs, Differs::kGpu);
  EXPECT_NEAR(pairs[0].error, -kLn2, 1e-15);
  EXPECT_NEAR(*pairs[0].measured, -2 * kLn2, 1e-15);
  // Two configurations and two cards; the site is the same.
  EXPECT_NEAR(pairs[0].deviation, std::sqrt(2 * 0.1 * 0.1 + 2 * 0.3 * 0.3), 1e-12);
  EXPECT_FALSE(pairs[0].inside());  // 0.69 of 1.28 x 0.45
  EXPECT_TRUE(pairs[0].apart());
  EXPECT_TRUE(pairs[0].named());
}

TEST_F(Pairs, OnOneCardOnlyTheConfigurationIsLeft) {
  step("a", 1, 1);
  step("a", 1.1, 1).prediction.strategy.recompute = Recompute::kFull;
  const auto pairs = time_pairs();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].differs, Differs::kStrategy);
  EXPECT_NEAR(pairs[0].deviation, 0.1 * std::sqrt(2.0), 1e-12);
  EXPECT_TRUE(pairs[0].inside());  // ln 1.1 of 1.28 x 0.14
  EXPECT_FALSE(pairs[0].apart());  // too near to each other for a faster one
}

TEST_F(Pairs, ACircumstanceOfOneRunAloneDoesNotCancel) {
  step("a", 1, 1);
  step("a", 1, 1).prediction.strategy.tp = 2;
  runs.back().prediction.spread.labels.add(true, ErrorPart::kExperts);
  EXPECT_NEAR(time_pairs()[0].deviation, std::sqrt(2 * 0.1 * 0.1 + 0.7 * 0.7), 1e-12);
  runs.front().prediction.spread.labels.add(true, ErrorPart::kExperts);
  EXPECT_NEAR(time_pairs()[0].deviation, 0.1 * std::sqrt(2.0), 1e-12);
}

TEST_F(Pairs, TheFirstThatDiffersIsTheDifference) {
  step("a", 1, 1);
  PredictedRun& other = step("a", 1, 1);
  EXPECT_EQ(difference(runs[0], other), std::nullopt);  // a repeat
  other.prediction.strategy.micro_batch = 4;
  EXPECT_EQ(difference(runs[0], other), Differs::kBatch);
  other.prediction.strategy.compile = true;
  EXPECT_EQ(difference(runs[0], other), Differs::kStrategy);
  training.back().gpus = 2;
  EXPECT_EQ(difference(runs[0], other), Differs::kCount);
  other.prediction.gpu = &cards[1];
  EXPECT_EQ(difference(runs[0], other), Differs::kGpu);
  // Replicas follow from the number of GPUs, and are no strategy of their own.
  PredictedRun& more = step("a", 1, 1);
  more.prediction.strategy.dp = 4;
  EXPECT_EQ(difference(runs[0], more), std::nullopt);
  training.back().method = Method::kLora;
  EXPECT_EQ(difference(runs[0], more), Differs::kStrategy);
}

TEST_F(Pairs, OnlyRunsOfOneSourceAndModelAreCompared) {
  step("a", 1, 1);
  step("b", 2, 1, 1);
  step("a", 2, 1, 1);
  training.back().model = "another";
  step("a", 2, 1, 1);
  training.back().model = "NET";
  step("a", 2, 1, 1);
  training.back().distrust = "cannot be";
  const auto pairs = time_pairs();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].a, 0U);
  EXPECT_EQ(pairs[0].b, 3U);
}

TEST_F(Pairs, StepsAreComparedPerTokenOfTheWholeMachine) {
  // Twice the step for four times the tokens is faster. Predicted as four times the step: no faster, no slower... and a
  // bit more: the wrong one is named.
  step("a", 1, 1);
  step("a", 2, 4.1);
  training.back().global_batch = 32;
  runs.back().prediction.strategy.micro_batch = 32;
  auto pairs = time_pairs();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].differs, Differs::kBatch);
  EXPECT_NEAR(*pairs[0].measured, kLn2, 1e-15);
  EXPECT_FALSE(pairs[0].named());
  // Without its length nobody knows which is faster; the error of the ratio is known all the same.
  training.back().sequence.reset();
  pairs = time_pairs();
  EXPECT_FALSE(pairs[0].measured.has_value());
  EXPECT_FALSE(pairs[0].apart());
  EXPECT_NEAR(pairs[0].error, -math::log(2.05), 1e-12);
}

TEST_F(Pairs, ARateOfOneGpuCountsForAllOfThem) {
  // 1,000 tokens/s on each of 1 and of 4 GPUs: four times as fast, as 8,000 tokens in 8 and in 2 s are.
  step("a", 8, 8);
  step("a", 2, 2).prediction.metrics = {{Metric::kTokenRate, 1000, {900, 1000, 1100}}};
  training.back().step.reset();
  training.back().token_rate = TokensPerSecond{1000};
  training.back().gpus = 4;
  const auto pairs = time_pairs();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].differs, Differs::kCount);
  EXPECT_NEAR(*pairs[0].measured, 2 * kLn2, 1e-12);
  EXPECT_NEAR(pairs[0].error, 0, 1e-12);
}

TEST_F(Pairs, GenerationIsComparedAcrossLoadsAndWithinOneMetric) {
  for (const double batch : {1.0, 8.0}) {
    GenerationRun& run = generation.emplace_back();
    run.source = "a";
    run.gpus = 1;
    run.batch = batch;
    run.mode = batch > 1 ? GenerationMode::kStatic : GenerationMode::kSingle;
    run.output_rate = TokensPerSecond{100 * batch};
    RunPrediction& p = runs.emplace_back(&run, RunPrediction{}).prediction;
    p.gpu = &cards[0];
    p.metrics.push_back(
        {Metric::kOutputRate, 100 * batch, {100, 200, 400}, batch > 1 ? Judged::kStatic : Judged::kSingle});
  }
  auto pairs = pairs_of(model, runs, ErrorFigure::kRate);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].differs, Differs::kBatch);
  EXPECT_NEAR(*pairs[0].measured, 3 * kLn2, 1e-12);
  EXPECT_NEAR(pairs[0].error, -3 * kLn2, 1e-12);  // predicted as equally fast
  generation.back().output_rate.reset();
  generation.back().total_rate = TokensPerSecond{800};
  runs.back().prediction.metrics[0].metric = Metric::kTotalRate;
  EXPECT_TRUE(pairs_of(model, runs, ErrorFigure::kRate).empty());
}

TEST_F(Pairs, SourcesWeighAlike) {
  // Source a: two steps of one kind and one of another, so that two of three pairs are off by ln 2; b: one good pair.
  step("a", 1, 1);
  step("a", 1.05, 1.05).prediction.strategy.compile = true;
  step("a", 4, 2, 1);
  step("b", 1, 1);
  step("b", 1.1, 1.1, 1);
  const auto pairs = time_pairs();
  const PairSums all = pair_sums(runs, pairs);
  EXPECT_EQ(all.pairs, 4U);
  EXPECT_EQ(all.sources, 2U);
  EXPECT_NEAR(all.source_median, kLn2 / 2, 1e-12);  // of ln 2 and 0
  EXPECT_NEAR(all.median, kLn2 / 2, 1e-12);         // of 0, 0, ln 2, ln 2
  EXPECT_NEAR(all.p90, kLn2, 1e-12);
  EXPECT_NEAR(all.inside, 0.5, 1e-12);
  EXPECT_NEAR(all.source_inside, (1.0 / 3 + 1) / 2, 1e-12);
  EXPECT_EQ(all.apart, 2U);
  EXPECT_NEAR(all.named, 1, 1e-12);
  EXPECT_NEAR(all.source_named, 1, 1e-12);  // b has none that is apart
  const PairSums strategy = pair_sums(runs, pairs, Differs::kStrategy);
  EXPECT_EQ(strategy.pairs, 1U);
  EXPECT_EQ(strategy.sources, 1U);
  EXPECT_EQ(pair_sums(runs, pairs, Differs::kCount).pairs, 0U);
}

TEST_F(Pairs, OfManyRunsSomeHundredPairsCountAndAllRunsAreAmongThem) {
  for (int i = 0; i < 200; ++i) {
    step("a", 1 + i, 1 + i);
    training.back().global_batch = 8 + i;
  }
  const auto pairs = time_pairs();
  EXPECT_GE(pairs.size(), 290U);
  EXPECT_LE(pairs.size(), 301U);
  std::vector<bool> met(runs.size());
  for (const RunPair& pair : pairs) {
    ASSERT_LT(pair.a, pair.b);
    met[pair.a] = met[pair.b] = true;
  }
  EXPECT_GT(std::ranges::count(met, true), 150);
  EXPECT_EQ(time_pairs().size(), pairs.size());
}

}  // namespace
}  // namespace gpuplan
