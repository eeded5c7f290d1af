// data/measured: published runs say where they come from, and their figures agree with each other.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "input/csv.h"
#include "input/embedded_data.h"

namespace gpuplan {
namespace {

const CsvTable& runs() {
  static const CsvTable table =
      CsvTable::parse(embedded_data("measured/train_runs.csv"), "data/measured/train_runs.csv").value();
  return table;
}

std::string_view cell(std::size_t row, std::string_view column) {
  const auto at = runs().find(column);
  return at ? runs().cell(row, *at) : std::string_view{};
}

/// The figure of a cell; NaN when it is empty, and a failure when it is none.
double figure(std::size_t row, std::string_view column) {
  const std::string_view text = cell(row, column);
  if (text.empty()) return std::nan("");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << cell(row, "id") << ": " << column;
  return value;
}

constexpr std::string_view kMeasured[] = {"step_seconds", "tokens_per_second_per_gpu", "peak_memory_gib"};

TEST(MeasuredRuns, HaveADistinctNameASourceAndItsPublication) {
  std::set<std::string_view> ids;
  std::map<std::string_view, std::string_view> publications;
  ASSERT_GT(runs().rows(), 600U);
  for (std::size_t row = 0; row < runs().rows(); ++row) {
    const std::string_view id = cell(row, "id"), source = cell(row, "source"), publication = cell(row, "publication");
    EXPECT_TRUE(ids.insert(id).second) << id << " stands twice";
    EXPECT_FALSE(source.empty()) << id;
    EXPECT_TRUE(id.starts_with(source)) << id << ": names begin with their source";
    EXPECT_FALSE(publication.empty()) << id;
    EXPECT_EQ(publications.try_emplace(source, publication).first->second, publication) << id;
    EXPECT_TRUE(cell(row, "trust") == "A" || cell(row, "trust") == "B") << id;
  }
  EXPECT_GE(publications.size(), 20U);
}

TEST(MeasuredRuns, HoldAtLeastOnePositiveFigure) {
  for (std::size_t row = 0; row < runs().rows(); ++row) {
    int figures = 0;
    for (const auto column : kMeasured) {
      const double value = figure(row, column);
      if (std::isnan(value)) continue;
      ++figures;
      EXPECT_GT(value, 0) << cell(row, "id") << ": " << column;
    }
    EXPECT_GT(figures, 0) << cell(row, "id");
  }
}

TEST(MeasuredRuns, RateAndStepAndBatchAgree) {
  int compared = 0;
  for (std::size_t row = 0; row < runs().rows(); ++row) {
    const double made = figure(row, "tokens_per_second_per_gpu") * figure(row, "gpus") * figure(row, "step_seconds");
    const double stated = figure(row, "global_batch") * figure(row, "seq_len");
    if (std::isnan(made) || std::isnan(stated)) continue;
    EXPECT_NEAR(made / stated, 1, 0.03) << cell(row, "id");
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(MeasuredRuns, DegreesMultiplyToTheGpusAndBatchesToTheGlobalOne) {
  int compared = 0;
  for (std::size_t row = 0; row < runs().rows(); ++row) {
    const double ranks = figure(row, "dp") * figure(row, "tp") * figure(row, "pp") * figure(row, "cp");
    const double gpus = figure(row, "gpus");
    if (!std::isnan(ranks) && !std::isnan(gpus)) {
      EXPECT_EQ(ranks, gpus) << cell(row, "id");
    }
    const double batch = figure(row, "dp") * figure(row, "micro_batch") * figure(row, "grad_accum");
    const double stated = figure(row, "global_batch");
    if (std::isnan(batch) || std::isnan(stated)) continue;
    EXPECT_EQ(batch, stated) << cell(row, "id");
    ++compared;
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace gpuplan
