#include "evidence/scores/fits_judged.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "base/math.h"

namespace gpuplan {
namespace {

class Fits : public testing::Test {
 protected:
  Fits() { card.usable = units::GiB * 80.0; }

  RunPrediction prediction(double gib) {
    RunPrediction p;
    p.gpu = &card;
    p.spread.memory = 0.1;
    p.estimate.memory.weights = p.generation.memory.weights = units::GiB * gib;
    return p;
  }
  TrainingRun& train(const std::string& source, double gib) {
    TrainingRun& run = training.emplace_back();
    run.source = source;
    runs.emplace_back(&run, prediction(gib));
    return run;
  }
  GenerationRun& serve(const std::string& source, double gib) {
    GenerationRun& run = generation.emplace_back();
    run.source = source;
    runs.emplace_back(&run, prediction(gib));
    return run;
  }

  Gpu card;
  std::deque<TrainingRun> training;
  std::deque<GenerationRun> generation;
  std::vector<PredictedRun> runs;
};

TEST_F(Fits, NoIsSaidWhereMoreIsPredictedThanTheCardHas) {
  // The p90 is 13.7 % above the median: 80 / 1.137 = 70.4.
  train("a", 70);
  train("a", 71);
  train("a", 81);
  train("a", 20);
  train("b", 75);
  const FitsJudged fits = fits_judged(runs, true);
  EXPECT_EQ(fits.runs, 5U);
  EXPECT_EQ(fits.sources, 2U);
  EXPECT_NEAR(fits.no_median, 0.2, 1e-12);
  EXPECT_NEAR(fits.no_p90, 0.6, 1e-12);
  EXPECT_NEAR(fits.source_no_median, (0.25 + 0) / 2, 1e-12);
  EXPECT_NEAR(fits.source_no_p90, (0.5 + 1) / 2, 1e-12);
  EXPECT_EQ(fits_judged(runs, false).runs, 0U);
}

TEST_F(Fits, RunsThatStateNoMemoryCountAndRefusedOnesDoNot) {
  train("a", 90).distrust = "cannot be";
  train("a", 90);
  runs.back().prediction.refused = "no such GPU";
  EXPECT_EQ(fits_judged(runs, true).runs, 0U);
  train("a", 90);
  EXPECT_EQ(fits_judged(runs, true).runs, 1U);
  EXPECT_EQ(fits_judged(runs, true).no_median, 1);
}

TEST_F(Fits, ABatchOfWhateverFitsSaysNothing) {
  serve("a", 90).mode = GenerationMode::kSaturated;
  serve("a", 90).mode = GenerationMode::kStatic;
  EXPECT_EQ(fits_judged(runs, false).runs, 0U);
  generation.back().batch = 8;
  EXPECT_EQ(fits_judged(runs, false).runs, 1U);
  serve("a", 10).mode = GenerationMode::kSingle;
  EXPECT_EQ(fits_judged(runs, false).no_median, 0.5);
}

}  // namespace
}  // namespace gpuplan
