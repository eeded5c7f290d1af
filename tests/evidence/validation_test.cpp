#include "evidence/validation/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>

#include "base/math.h"
#include "evidence/validation/run_groups.h"

namespace gpuplan {
namespace {

/// Runs made by hand, with predictions that are given in place of the model's.
class Validation : public testing::Test {
 protected:
  PredictedRun& add(const std::string& source, const std::string& id) {
    TrainingRun& run = runs_.emplace_back();
    run.id = id;
    run.source = source;
    return predicted.emplace_back(PredictedRun{&run, {}});
  }
  TrainingRun& last() { return runs_.back(); }

  /// A step measured and predicted, in seconds; the range is a factor of 1.5 either way.
  void step(const std::string& source, double measured, double median) {
    PredictedRun& run = add(source, source + std::to_string(predicted.size()));
    last().step = Seconds{measured};
    run.prediction.metrics.push_back({Metric::kStepSeconds, measured, {median / 1.5, median, median * 1.5}});
  }
  void memory(const std::string& source, double measured, double median) {
    PredictedRun& run = add(source, source + std::to_string(predicted.size()));
    last().memory = units::GiB * measured;
    run.prediction.metrics.push_back(
        {Metric::kPeakMemory, measured, {median / 1.5, median, median * 1.5}, Judged::kMemory});
  }
  void refused(const std::string& source, const std::string& id, const std::string& reason) {
    PredictedRun& run = add(source, id);
    last().step = Seconds{1};
    run.prediction.refused = reason;
  }

  std::vector<PredictedRun> predicted;

 private:
  std::deque<TrainingRun> runs_;
};

const double kLn2 = math::log(2.0);

TEST(Quantile, LiesOnTheLineBetweenNeighbours) {
  const double values[] = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 4 + 0.7 * 4);  // place 2.7
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST_F(Validation, ErrorsByHand) {
  // Predicted 2 s for 1 s, 1 s for 1 s and 1 s for 4 s: ln 2, 0 and -2 ln 2.
  step("a", 1, 2);
  step("a", 1, 1);
  step("b", 4, 1);
  const Headline h = headline(predicted, Judged::kTime);
  EXPECT_EQ(h.stated, 3U);
  EXPECT_EQ(h.predicted, 3U);
  EXPECT_EQ(h.sources, 2U);
  EXPECT_DOUBLE_EQ(h.all.median, kLn2);
  EXPECT_NEAR(h.all.p90, kLn2 + 0.8 * kLn2, 1e-15);  // of 0, ln 2, 2 ln 2
  EXPECT_DOUBLE_EQ(h.all.relative, 0.75);            // of 0, 1 and 3/4
  EXPECT_DOUBLE_EQ(h.all.bias, 0);
  EXPECT_NEAR(h.all.mean_bias, -kLn2 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(h.all.inside, 1.0 / 3);  // 1 s lies outside of 1.33 ... 3 s, 4 s outside of 0.67 ... 1.5 s
  EXPECT_DOUBLE_EQ(h.all.above, 1.0 / 3);
  // Source a: median of ln 2 and 0; source b: 2 ln 2.
  EXPECT_NEAR(h.source_median, (kLn2 / 2 + 2 * kLn2) / 2, 1e-15);
  EXPECT_EQ(h.calibrated_sources, 1U);  // b has one run only
  EXPECT_DOUBLE_EQ(h.calibrated.any, kLn2);
}

TEST_F(Validation, RatesAreTimesUpsideDown) {
  // Half of the rate is twice the time; a rate below the p10 is a time above the p90.
  PredictedRun& run = add("a", "a1");
  last().token_rate = TokensPerSecond{1000};
  run.prediction.metrics.push_back({Metric::kTokenRate, 1000, {400, 500, 600}});
  Headline h = headline(predicted, Judged::kTime);
  EXPECT_DOUBLE_EQ(h.all.bias, kLn2);
  EXPECT_EQ(h.all.above, 0);
  predicted.back().prediction.metrics.back().predicted = {1500, 2000, 2500};
  h = headline(predicted, Judged::kTime);
  EXPECT_DOUBLE_EQ(h.all.bias, -kLn2);
  EXPECT_EQ(h.all.above, 1);
}

TEST_F(Validation, ARunWithBothFiguresCountsOnceByItsStep) {
  PredictedRun& run = add("a", "a1");
  last().step = Seconds{1};
  last().token_rate = TokensPerSecond{1000};
  run.prediction.metrics.push_back({Metric::kTokenRate, 1000, {250, 500, 1000}});
  run.prediction.metrics.push_back({Metric::kStepSeconds, 1, {0.5, 1, 2}});
  const Headline h = headline(predicted, Judged::kTime);
  EXPECT_EQ(h.stated, 1U);
  EXPECT_DOUBLE_EQ(h.all.median, 0);
  EXPECT_EQ(measured_figures(last()).size(), 2U);
}

TEST_F(Validation, PerfectPredictionsHaveNoError) {
  for (const double time : {0.1, 3.0, 7.5, 40.0}) {
    step("a", time, time);
    memory("b", time, time);
  }
  for (const Judged what : {Judged::kTime, Judged::kMemory}) {
    const Headline h = headline(predicted, what);
    EXPECT_EQ(h.predicted, 4U);
    EXPECT_EQ(h.source_median, 0);
    EXPECT_EQ(h.all.p90, 0);
    EXPECT_EQ(h.all.bias, 0);
    EXPECT_EQ(h.all.inside, 1);
    EXPECT_EQ(h.all.above, 0);
    EXPECT_EQ(h.calibrated.any, 0);
  }
}

TEST_F(Validation, MeasuringLongerMovesTheBiasAndNotTheCalibratedError) {
  for (const double ratio : {0.8, 1.1, 0.95, 1.7, 1.02}) step("a", 10, 10 * ratio);
  const Headline before = headline(predicted, Judged::kTime);
  constexpr double kLonger = 1.3;
  for (PredictedRun& run : predicted) run.prediction.metrics[0].measured *= kLonger;
  const Headline after = headline(predicted, Judged::kTime);
  EXPECT_NEAR(after.all.bias, before.all.bias - math::log(kLonger), 1e-12);
  EXPECT_NEAR(after.all.mean_bias, before.all.mean_bias - math::log(kLonger), 1e-12);
  EXPECT_NEAR(after.calibrated.any, before.calibrated.any, 1e-12);
  EXPECT_NEAR(after.calibrated.middle, before.calibrated.middle, 1e-12);
}

TEST_F(Validation, SizesOfErrorsDoNotDependOnTheirSign) {
  for (const double ratio : {0.5, 1.1, 1.7}) step("a", 1, ratio);
  const Headline before = headline(predicted, Judged::kTime);
  for (PredictedRun& run : predicted) {
    auto& p = run.prediction.metrics[0].predicted;
    p = {1 / p.p90, 1 / p.p50, 1 / p.p10};
  }
  const Headline after = headline(predicted, Judged::kTime);
  EXPECT_NEAR(after.all.median, before.all.median, 1e-15);
  EXPECT_NEAR(after.all.p90, before.all.p90, 1e-15);
  EXPECT_NEAR(after.all.bias, -before.all.bias, 1e-15);
  EXPECT_NEAR(after.all.inside, before.all.inside, 1e-15);
}

TEST(Calibration, ByHand) {
  // Correcting by the first leaves 0.1 and 0.4 (median 0.25), by the second 0.1 and 0.3 (0.2), by the third 0.4 and
  // 0.3 (0.35).
  const double errors[] = {0.0, 0.1, 0.4};
  EXPECT_NEAR(calibrated(errors).any, (0.25 + 0.2 + 0.35) / 3, 1e-15);
  EXPECT_NEAR(calibrated(errors).middle, 0.2, 1e-15);
  const double same[] = {0.7, 0.7, 0.7, 0.7};
  EXPECT_EQ(calibrated(same).any, 0);  // a constant bias goes away
}

TEST_F(Validation, RefusedRunsAreCountedByReason) {
  step("a", 1, 1);
  refused("a", "a1", "no such GPU");
  refused("b", "b1", "no size");
  refused("b", "b2", "no such GPU");
  const Headline h = headline(predicted, Judged::kTime);
  EXPECT_EQ(h.stated, 4U);
  EXPECT_EQ(h.predicted, 1U);
  const auto groups = refused_groups(predicted);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].reason, "no such GPU");
  ASSERT_EQ(groups[0].runs.size(), 2U);
  EXPECT_EQ(groups[0].runs[1]->id, "b2");
  const auto by_source = by_group(predicted, Judged::kTime, Grouping::kSource);
  ASSERT_EQ(by_source.size(), 2U);
  EXPECT_EQ(by_source[1].stated, 2U);
  EXPECT_EQ(by_source[1].misses.runs, 0U);
}

TEST_F(Validation, AFigureThatThePredictionLacksIsRefusedWithAReason) {
  PredictedRun& run = add("a", "a1");
  last().step = Seconds{1};
  last().memory = units::GiB * 4.0;
  run.prediction.metrics.push_back({Metric::kStepSeconds, 1, {1, 1, 1}});
  EXPECT_EQ(headline(predicted, Judged::kMemory).stated, 1U);
  EXPECT_EQ(headline(predicted, Judged::kMemory).predicted, 0U);
  EXPECT_NE(refusal_of(predicted[0]), "");
  predicted[0].prediction.metrics.push_back({Metric::kPeakMemory, 4, {3, 4, 5}, Judged::kMemory});
  EXPECT_EQ(refusal_of(predicted[0]), "");
}

TEST_F(Validation, GroupsStandInTheirNaturalOrderAndHoldEveryRunOnce) {
  const double sizes[] = {200e9, 1e9, 7e9, 30e9, 0.1e9, 8e9};
  for (const double size : sizes) {
    step("s", 1, 1);
    predicted.back().prediction.parameters = size;
  }
  std::vector<std::string> names;
  std::size_t runs = 0;
  for (const GroupMisses& group : by_group(predicted, Judged::kTime, Grouping::kSize)) {
    names.push_back(group.name);
    runs += group.stated;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"below 0.5B", "0.5B to 3B", "3B to 15B", "15B to 80B", "80B and up"}));
  EXPECT_EQ(runs, predicted.size());
}

TEST_F(Validation, TraitsComeFromTheRunAndItsPrediction) {
  Gpu card;
  card.vendor = "nvidia";
  card.memory_type = "GDDR6X";
  card.compute_capability = 8.9;
  step("s", 1, 1);
  predicted.back().prediction.gpu = &card;
  predicted.back().prediction.strategy.micro_batch = 2;
  last().sequence = 128;
  last().micro_batch = 2;
  std::vector<std::string> names;
  for (const GroupLabel& label : labels_of(predicted.back(), Grouping::kTrait)) names.push_back(label.name);
  EXPECT_EQ(names, (std::vector<std::string>{"GDDR GPUs", "512 tokens or fewer per micro-batch"}));
}

TEST_F(Validation, TheWorstComeFirstWhateverTheSign) {
  step("a", 1, 1.2);
  step("a", 1, 0.4);
  step("a", 1, 2.0);
  memory("a", 1, 100);
  EXPECT_EQ(worst_first(predicted, Judged::kTime), (std::vector<std::size_t>{1, 2, 0}));
}

TEST_F(Validation, DistrustedRunsCountNowhereAndAreNamed) {
  step("a", 1, 1);
  step("a", 1, 50);
  last().distrust = "faster than light";
  refused("b", "b1", "no such GPU");
  last().distrust = "faster than light";
  const Headline h = headline(predicted, Judged::kTime);
  EXPECT_EQ(h.stated, 1U);
  EXPECT_EQ(h.sources, 1U);
  EXPECT_EQ(h.all.median, 0);
  EXPECT_EQ(worst_first(predicted, Judged::kTime), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(refused_groups(predicted).empty());
  EXPECT_EQ(by_group(predicted, Judged::kTime, Grouping::kSource).size(), 1U);
  const auto groups = distrusted_groups(predicted);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].reason, "faster than light");
  EXPECT_EQ(groups[0].runs.size(), 2U);
}

TEST(GenerationValidation, ARunCountsOnceForEachKindOfFigure) {
  GenerationRun run;
  run.source = "lab";
  run.mode = GenerationMode::kSingle;
  run.weights = Format::kInt4;
  run.input_tokens = 200;
  run.batch = 1;
  run.output_rate = run.total_rate = TokensPerSecond{100};
  run.memory = units::GiB * 4.0;
  std::vector<PredictedRun> runs = {PredictedRun(&run, {})};
  runs[0].prediction.metrics = {{Metric::kTotalRate, 100, {10, 20, 30}, Judged::kSingle},
                                {Metric::kOutputRate, 100, {40, 50, 60}, Judged::kSingle},
                                {Metric::kPeakMemory, 4, {3, 4, 5}, Judged::kServingMemory}};
  const Headline single = headline(runs, Judged::kSingle);
  EXPECT_EQ(single.stated, 1U);
  EXPECT_DOUBLE_EQ(single.all.bias, kLn2);  // by the output rate: half of it is twice the time
  EXPECT_EQ(single.all.above, 0);
  EXPECT_EQ(headline(runs, Judged::kServingMemory).predicted, 1U);
  for (const Judged other : {Judged::kTime, Judged::kMemory, Judged::kStatic, Judged::kPerToken})
    EXPECT_EQ(headline(runs, other).stated, 0U);
  const std::pair<Grouping, const char*> groups[] = {{Grouping::kMode, "single"},
                                                     {Grouping::kWeights, "int4"},
                                                     {Grouping::kLength, "up to 1k"},
                                                     {Grouping::kBatch, "one sequence"}};
  for (const auto& [grouping, name] : groups) {
    const auto found = by_group(runs, Judged::kSingle, grouping);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, name);
  }
  EXPECT_TRUE(by_group(runs, Judged::kSingle, Grouping::kPrecision).empty());  // of training
}

TEST_F(Validation, NothingToJudgeIsNoError) {
  EXPECT_EQ(headline(predicted, Judged::kTime).all.runs, 0U);
  memory("a", 1, 1);
  EXPECT_EQ(headline(predicted, Judged::kTime).stated, 0U);
  EXPECT_TRUE(by_group(predicted, Judged::kTime, Grouping::kGpu).empty());
  EXPECT_TRUE(worst_first(predicted, Judged::kTime).empty());
}

}  // namespace
}  // namespace gpuplan
