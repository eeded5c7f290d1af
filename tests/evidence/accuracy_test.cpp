// How accurate the model is on published runs, with its constants as they are and with those fitted without a run's
// own source. The bounds are those that the project holds itself to.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "../model/training_fixture.h"
#include "evidence/left_out.h"
#include "evidence/validation.h"
#include "input/left_out_table.h"
#include "input/run_table.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(GPUPLAN_DATA_DIR) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::vector<TrainingRun>& runs() {
  static const std::vector<TrainingRun> all = [] {
    auto table = read_training_runs(text_of("measured/train_runs.csv"), "train_runs.csv", catalogue());
    EXPECT_TRUE(table && table->bad_lines.empty());
    return table ? std::move(table->runs) : std::vector<TrainingRun>{};
  }();
  return all;
}

std::vector<PredictedRun> left_out_predictions() {
  const auto values = read_left_out(text_of("measured/left_out.csv"), "left_out.csv");
  EXPECT_TRUE(values.has_value());
  static const LeftOut left_out(catalogue(), *values);
  std::vector<PredictedRun> predicted;
  for (const TrainingRun& run : runs()) {
    EXPECT_TRUE(left_out.has(run.source)) << run.source << " took no part in the fit";
    predicted.push_back({&run, predict_run(left_out.catalogue_for(run.source), run)});
  }
  return predicted;
}

TEST(Accuracy, TimeOfRunsWhoseSourceWasLeftOut) {
  const Headline time = headline(left_out_predictions(), Judged::kTime);
  EXPECT_GE(static_cast<double>(time.predicted), 0.97 * static_cast<double>(time.stated));
  EXPECT_LE(time.source_median, 0.10);
  EXPECT_LE(time.all.p90_relative, 0.32);
  EXPECT_LE(std::abs(time.all.bias), 0.04);
  EXPECT_GE(time.all.inside, 0.75);
  EXPECT_LE(time.all.inside, 0.88);
}

TEST(Accuracy, MemoryOfRunsWhoseSourceWasLeftOut) {
  const Headline memory = headline(left_out_predictions(), Judged::kMemory);
  EXPECT_GE(static_cast<double>(memory.predicted), 0.97 * static_cast<double>(memory.stated));
  EXPECT_LE(memory.source_median, 0.10);
  EXPECT_LE(memory.all.p90_relative, 0.30);
  EXPECT_LE(memory.all.above, 0.10);
  EXPECT_GE(memory.all.inside, 0.75);
  EXPECT_LE(memory.all.inside, 0.88);
}

TEST(Accuracy, IsBetterOnRunsThatTookPartInTheFit) {
  const Headline fitted = headline(predict_runs(catalogue(), runs()), Judged::kTime);
  const Headline left_out = headline(left_out_predictions(), Judged::kTime);
  EXPECT_LT(fitted.source_median, left_out.source_median);
  EXPECT_LE(fitted.source_median, 0.08);
}

TEST(Accuracy, ValuesLeftOutHaveAddressesOfTheCatalogue) {
  const auto values = read_left_out(text_of("measured/left_out.csv"), "left_out.csv");
  ASSERT_TRUE(values.has_value());
  Catalogue copy = catalogue();
  for (const LeftOutValue& value : *values)
    ASSERT_NE(fitted_value(copy, value.address), nullptr)
        << value.address.table << " " << value.address.row << " " << value.address.column;
}

TEST(FittedValue, FindsNumbersByTableRowAndColumn) {
  Catalogue copy = catalogue();
  ASSERT_NE(fitted_value(copy, {"training_constants", "step_time", "value"}), nullptr);
  EXPECT_EQ(*fitted_value(copy, {"training_constants", "step_time", "value"}), copy.training_constants.step_time);
  ASSERT_NE(fitted_value(copy, {"efficiency", "Hopper/HBM/*", "training"}), nullptr);
  ASSERT_NE(fitted_value(copy, {"training_software", "torch", "time"}), nullptr);
  EXPECT_EQ(fitted_value(copy, {"training_constants", "no_such", "value"}), nullptr);
  EXPECT_EQ(fitted_value(copy, {"efficiency", "Hopper/HBM/*", "no_such"}), nullptr);
  EXPECT_EQ(fitted_value(copy, {"gpus", "H100 SXM", "bf16"}), nullptr);
}

TEST(LeftOut, OtherSourcesKeepTheCatalogue) {
  const Catalogue& all = catalogue();
  const LeftOut left_out(all, {{"theirs", {"training_constants", "step_time", "value"}, 2.5}});
  EXPECT_EQ(left_out.catalogue_for("theirs").training_constants.step_time, 2.5);
  EXPECT_EQ(&left_out.catalogue_for("others"), &all);
}

}  // namespace
}  // namespace gpuplan
