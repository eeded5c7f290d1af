#include "evidence/scores/own_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <string>

#include "base/interval.h"
#include "base/math.h"

namespace gpuplan {
namespace {

/// Runs whose ln(measured / predicted) is given; the range is as wide as the parts of the error model say.
class AfterOwnRuns : public testing::Test {
 protected:
  AfterOwnRuns() {
    for (auto& figure : model.components)
      for (ErrorComponent& component : figure) component = {0, 0};
  }
  void set(ErrorPart part, double deviation) {
    model.components[index_of(ErrorFigure::kTime)][index_of(part)] = {deviation, deviation};
  }
  void add(const std::string& source, double error, double deviation = 0.2) {
    TrainingRun& run = training.emplace_back();
    run.source = source;
    const double measured = math::exp(error);
    run.step = Seconds{measured};
    runs.emplace_back(&run, RunPrediction{})
        .prediction.metrics.push_back({Metric::kStepSeconds, measured, lognormal(1.0, deviation)});
  }
  OwnRunSums sums(int own) const { return after_own_runs(model, runs, ErrorFigure::kTime, own); }

  ErrorModel model;
  std::deque<TrainingRun> training;
  std::vector<PredictedRun> runs;
};

TEST_F(AfterOwnRuns, WhatAllRunsOfASiteHaveIsLearnedFromAnyOfThem) {
  set(ErrorPart::kSite, 0.5);
  set(ErrorPart::kConfiguration, 0.01);
  for (int i = 0; i < 4; ++i) add("slow", 0.4, 0.5);
  const OwnRunSums one = sums(1);
  EXPECT_EQ(one.sources, 1U);
  EXPECT_EQ(one.runs, 4U);
  EXPECT_NEAR(one.before, 0.4, 1e-12);
  // The site's share of the variance is 0.25 / 0.2501.
  EXPECT_NEAR(one.after, 0.4 * (1 - 0.25 / 0.2501), 1e-3);
  EXPECT_NEAR(one.p90, one.after, 1e-12);
  EXPECT_NEAR(one.inside, 1, 1e-12);
  EXPECT_LE(sums(2).after, one.after + 1e-12);
}

TEST_F(AfterOwnRuns, WhatIsOneRunsOwnIsNotCarriedOver) {
  set(ErrorPart::kConfiguration, 0.2);
  for (const double error : {0.3, -0.1, 0.2, 0.0}) add("a", error);
  const OwnRunSums one = sums(1);
  EXPECT_NEAR(one.before, 0.15, 1e-12);
  // Nothing is shared. In turn the others' medians are 0.1, 0.2, 0.1 and 0.2.
  EXPECT_NEAR(one.after, 0.15, 1e-12);
  EXPECT_NEAR(one.inside_before, 0.75, 1e-12);  // 1.28 x 0.2 is 0.256
  EXPECT_NEAR(one.inside, 0.75, 1e-12);
  EXPECT_NEAR(one.p90, 0.3, 1e-12);  // a quarter of all errors are 0.3
}

TEST_F(AfterOwnRuns, OneOddRunAsTheOnlyOneCounts) {
  // Two shares of the variance, half and half: an odd run of 1.0 shifts the others by up to 0.5.
  set(ErrorPart::kSite, 0.3);
  set(ErrorPart::kConfiguration, 0.3);
  for (const double error : {0.0, 0.0, 0.0, 1.0}) add("a", error, 0.42);
  const OwnRunSums one = sums(1);
  EXPECT_NEAR(one.before, 0, 1e-12);
  EXPECT_GT(one.after, 0.01);  // the turn of the odd one is among the turns
  EXPECT_LE(one.after, 0.5 / 4 + 1e-9);
}

TEST_F(AfterOwnRuns, SourcesWithTooFewRunsAreLeftOut) {
  set(ErrorPart::kSite, 0.2);
  set(ErrorPart::kConfiguration, 0.1);
  add("a", 0.1);
  add("b", 0.1);
  add("b", 0.3);
  for (int i = 0; i < 5; ++i) add("c", 0.1);
  EXPECT_EQ(sums(1).sources, 2U);
  EXPECT_EQ(sums(1).runs, 7U);
  EXPECT_EQ(sums(2).sources, 1U);
  EXPECT_EQ(sums(4).sources, 1U);
  EXPECT_EQ(sums(5).sources, 0U);
  EXPECT_EQ(sums(5).after, 0);
  EXPECT_NEAR(sums(1).before, (0.2 + 0.1) / 2, 1e-12);
}

TEST_F(AfterOwnRuns, AreTheSameEachTime) {
  set(ErrorPart::kSite, 0.2);
  set(ErrorPart::kConfiguration, 0.1);
  for (int i = 0; i < 30; ++i) add("a", 0.01 * i * (i % 3 - 1));
  for (const int own : {1, 2, 4}) {
    EXPECT_EQ(sums(own).after, sums(own).after);
    EXPECT_EQ(sums(own).p90, sums(own).p90);
  }
  EXPECT_NE(sums(1).after, sums(4).after);
}

}  // namespace
}  // namespace gpuplan
