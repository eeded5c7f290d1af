// data/measured: published runs say where they come from, and their figures agree with each other.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "evidence/validation/publishers.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

/// One table of data/measured.
class Table {
 public:
  explicit Table(const std::string& name) : table_(CsvTable::parse(embedded_data(name), "data/" + name).value()) {}
  explicit Table(CsvTable table) : table_(std::move(table)) {}

  std::size_t rows() const { return table_.rows(); }
  std::string_view cell(std::size_t row, std::string_view column) const {
    const auto at = table_.find(column);
    return at ? table_.cell(row, *at) : std::string_view{};
  }
  /// The figure of a cell; NaN when it is empty, and a failure when it is none.
  double figure(std::size_t row, std::string_view column) const {
    const std::string_view text = cell(row, column);
    if (text.empty()) return std::nan("");
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << cell(row, "id") << ": " << column;
    return value;
  }

 private:
  CsvTable table_;
};

const Table& training() {
  static const Table table("measured/train_runs.csv");
  return table;
}
const Table& generation() {
  static const Table table("measured/infer_runs.csv");
  return table;
}

std::string_view cell(std::size_t row, std::string_view column) { return training().cell(row, column); }
double figure(std::size_t row, std::string_view column) { return training().figure(row, column); }

void expect_names_and_publications(const Table& table, std::size_t least_rows, std::size_t least_sources) {
  std::set<std::string_view> ids;
  std::map<std::string_view, std::string_view> publications;
  ASSERT_GT(table.rows(), least_rows);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view id = table.cell(row, "id"), source = table.cell(row, "source");
    const std::string_view publication = table.cell(row, "publication"), trust = table.cell(row, "trust");
    EXPECT_TRUE(ids.insert(id).second) << id << " stands twice";
    EXPECT_FALSE(source.empty()) << id;
    EXPECT_TRUE(id.starts_with(source)) << id << ": names begin with their source";
    EXPECT_FALSE(publication.empty()) << id;
    EXPECT_EQ(publications.try_emplace(source, publication).first->second, publication) << id;
    EXPECT_TRUE(trust == "A" || trust == "B") << id;
  }
  EXPECT_GE(publications.size(), least_sources);
}

TEST(MeasuredRuns, HaveADistinctNameASourceAndItsPublication) {
  expect_names_and_publications(training(), 600, 20);
  expect_names_and_publications(generation(), 1100, 20);
}

template <std::size_t count>
void expect_positive_figure(const Table& table, const std::string_view (&columns)[count]) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    int figures = 0;
    for (const auto column : columns) {
      const double value = table.figure(row, column);
      if (std::isnan(value)) continue;
      ++figures;
      EXPECT_GT(value, 0) << table.cell(row, "id") << ": " << column;
    }
    EXPECT_GT(figures, 0) << table.cell(row, "id");
  }
}

TEST(MeasuredRuns, HoldAtLeastOnePositiveFigure) {
  expect_positive_figure(training(), {"step_seconds", "tokens_per_second_per_gpu", "peak_memory_gib"});
  expect_positive_figure(generation(), {"output_tokens_per_second", "total_tokens_per_second",
                                        "prefill_tokens_per_second", "ttft_ms", "tpot_ms", "peak_memory_gib"});
}

TEST(MeasuredRuns, RateAndStepAndBatchAgree) {
  int compared = 0;
  for (std::size_t row = 0; row < training().rows(); ++row) {
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
  for (std::size_t row = 0; row < training().rows(); ++row) {
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

TEST(MeasuredRuns, CopiesOfANetworkFillTheGpusUnlessExpertsAreShared) {
  const Table& runs = generation();
  int compared = 0, shared = 0;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    const double used = runs.figure(row, "tp") * runs.figure(row, "pp") * runs.figure(row, "replicas");
    const double gpus = runs.figure(row, "gpus");
    if (std::isnan(used) || std::isnan(gpus)) continue;
    ++compared;
    if (used == gpus) continue;
    ++shared;
    const double ep = runs.figure(row, "ep");
    EXPECT_GT(ep, 1) << runs.cell(row, "id");
    EXPECT_EQ(std::fmod(gpus, ep), 0) << runs.cell(row, "id");
    EXPECT_FALSE(runs.cell(row, "experts").empty()) << runs.cell(row, "id");
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(shared, 20);
}

TEST(MeasuredRuns, RatesOfOneGenerationRunAgree) {
  const Table& runs = generation();
  int compared = 0;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    const double output = runs.figure(row, "output_tokens_per_second"),
                 all = runs.figure(row, "total_tokens_per_second");
    if (std::isnan(output) || std::isnan(all)) continue;
    const double in = runs.figure(row, "input_tokens"), out = runs.figure(row, "output_tokens");
    EXPECT_NEAR(all / output / ((in + out) / out), 1, 0.03) << runs.cell(row, "id");
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(MeasuredRuns, OnlyARateOfOutputTokensSaysWhatItCounts) {
  const Table& runs = generation();
  for (std::size_t row = 0; row < runs.rows(); ++row)
    EXPECT_EQ(runs.cell(row, "rate_counts").empty(), runs.cell(row, "output_tokens_per_second").empty())
        << runs.cell(row, "id");
}

TEST(MeasuredRuns, FewAreDistrusted) {
  const Table& runs = generation();
  std::size_t distrusted = 0;
  for (std::size_t row = 0; row < runs.rows(); ++row) distrusted += runs.cell(row, "distrust").empty() ? 0 : 1;
  EXPECT_LE(distrusted, runs.rows() / 100);
}

/// Rows of a table of runs that take part in the fit, by publisher.
std::vector<PublishedRun> published(const Table& runs, const Table& publishers) {
  std::map<std::string_view, std::string_view> of;
  for (std::size_t row = 0; row < publishers.rows(); ++row)
    of[publishers.cell(row, "source")] = publishers.cell(row, "publisher");
  std::vector<PublishedRun> found;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    if (!runs.cell(row, "distrust").empty()) continue;
    const std::string_view source = runs.cell(row, "source");
    const auto at = of.find(source);
    found.push_back({runs.cell(row, "gpu"), runs.cell(row, "framework"), at != of.end() ? at->second : source});
  }
  return found;
}

// Widths of ranges rest on these columns; tools/fit writes them.
TEST(MeasuredRuns, TablesSayHowManyPublishersMeasuredWhat) {
  std::ifstream file(std::string(GPUPLAN_DATA_DIR) + "/measured/publishers.csv", std::ios::binary);
  std::ostringstream read;
  read << file.rdbuf();
  const std::string text = read.str();
  const Table publishers(CsvTable::parse(text, "data/measured/publishers.csv").value());
  Catalogue stated = training_fixture::catalogue();
  Catalogue none = stated;
  const auto forget = [](auto& rows, auto... columns) {
    for (auto& row : rows) ((row.*columns = 0), ...);
  };
  forget(none.gpus, &Gpu::training_publishers, &Gpu::serving_publishers);
  forget(none.efficiencies, &Efficiency::training_publishers, &Efficiency::serving_publishers);
  forget(none.training_software, &TrainingSoftware::publishers);
  forget(none.engines, &EngineProfile::publishers);
  std::size_t counted = 0;
  for (const bool trains : {true, false})
    for (const FittedNumber& count :
         count_publishers(stated, published(trains ? training() : generation(), publishers), trains)) {
      double* into = fitted_value(none, count.address);
      ASSERT_NE(into, nullptr) << count.address.table << ", " << count.address.row;
      *into = count.value;
      ++counted;
    }
  EXPECT_GT(counted, 80U);
  const auto same = [](const auto& counted_rows, const auto& stated_rows, const auto& name, auto... columns) {
    for (std::size_t i = 0; i < stated_rows.size(); ++i)
      for (const auto column : {columns...})
        EXPECT_EQ(counted_rows[i].*column, stated_rows[i].*column) << stated_rows[i].*name;
  };
  same(none.gpus, stated.gpus, &Gpu::name, &Gpu::training_publishers, &Gpu::serving_publishers);
  same(none.efficiencies, stated.efficiencies, &Efficiency::architecture, &Efficiency::training_publishers,
       &Efficiency::serving_publishers);
  same(none.training_software, stated.training_software, &TrainingSoftware::name, &TrainingSoftware::publishers);
  same(none.engines, stated.engines, &EngineProfile::name, &EngineProfile::publishers);
}

TEST(MeasuredRuns, APublisherLeftOutCountsNowhere) {
  const Catalogue& catalogue = training_fixture::catalogue();
  const std::vector<PublishedRun> runs = {{"H100 SXM", "megatron", "a"},   {"h100-sxm", "megatron", "b"},
                                          {"H100 SXM", "megatron", "a"},   {"B200", "torchtitan", "a"},
                                          {"No Such GPU", "nothing", "a"}, {"A100 SXM 80GB", "ddp", "b"}};
  const auto value = [&](std::string_view table, std::string_view row, std::string_view without) {
    for (const FittedNumber& count : count_publishers(catalogue, runs, true, without))
      if (count.address.table == table && count.address.row == row) return count.value;
    return -1.0;
  };
  EXPECT_EQ(value("gpus", "H100 SXM", ""), 2);
  EXPECT_EQ(value("gpus", "H100 SXM", "a"), 1);
  EXPECT_EQ(value("gpus", "B200", "a"), 0) << "and the row is there, to say so";
  EXPECT_EQ(value("efficiency", "Hopper/HBM/*", "b"), 1);
  EXPECT_EQ(value("training_software", "megatron", ""), 2);
  EXPECT_EQ(value("training_software", "torch", ""), 1) << "ddp is torch";
  EXPECT_EQ(value("training_software", "torchtitan", "a"), 0);
  EXPECT_EQ(value("gpus", "No Such GPU", ""), -1);
}

}  // namespace
}  // namespace gpuplan
