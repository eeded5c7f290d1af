#include "output/fit_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

/// Full fine-tuning and QLoRA of one model on three GPUs.
struct Fixture {
  Catalogue catalogue;
  FitReport report;

  Fixture();
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;
  FitRow row(int gpu, int count, double needs, bool fits = true) const;
};

FitRow Fixture::row(int gpu, int count, double needs, bool fits) const {
  FitRow result;
  result.node = {.gpu = &catalogue.gpus[static_cast<std::size_t>(gpu)], .gpus = count};
  result.gpus = count;
  const Bytes total = needs * units::GiB;
  if (total > result.node.gpu->usable) {
    result.nearest = {
        .phase = 0, .gpu = result.node.gpu, .gpus = count, .needed = total, .usable = result.node.gpu->usable};
    return result;
  }
  PhaseEstimate estimate;
  estimate.node = result.node;
  estimate.gpus = count;
  estimate.strategy.dp = count;
  estimate.strategy.sharding = count > 1 ? Sharding::kZero3 : Sharding::kNone;
  estimate.fit = fits ? Fit::kFits : Fit::kTight;
  estimate.memory.weights = 0.5 * total;
  estimate.memory.optimizer = 0.25 * total;
  estimate.memory.activations = 0.125 * total;
  estimate.memory.context = 0.125 * total;
  estimate.memory_total = {0.9 * total, total, 1.1 * total};
  result.best = estimate;
  result.largest_micro_batch = fits ? 3 : 0;
  return result;
}

Fixture::Fixture() {
  const auto add = [&](const char* name, double usable) {
    Gpu& gpu = catalogue.gpus.emplace_back();
    gpu.name = name;
    gpu.usable = usable * units::GiB;
  };
  add("H100 SXM", 79.6);
  add("RTX 4090", 23.9);
  add("RTX 3060", 11.7);
  report.subject = "Llama-3.1-8B";
  report.params = 8.03e9;
  report.counts = {1, 2, 4, 8};
  for (const char* name : {"full", "qlora"}) {
    FitSection& section = report.sections.emplace_back();
    section.name = name;
    section.title = "fine-tuning, micro-batch 1";
    TrainPhase train;
    train.models.resize(1);
    section.job.phases.emplace_back().work = train;
  }
  report.sections[0].rows = {row(0, 2, 56), row(1, 8, 19), row(2, 8, 13)};
  report.sections[1].rows = {row(0, 1, 14), row(1, 1, 14), row(2, 1, 10)};
  report.sections[1].rows[0].best->strategy.offload = Offload::kOptimizer;
}

TEST(FitTable, ShowsTheSmallestMachineOfEachGpuAndTheParts) {
  const Fixture fixture;
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {{.columns = 120}}), R"(@fit120@)");
}

TEST(FitTable, ShowsEveryCountOnDemand) {
  Fixture fixture;
  fixture.report.every_count = true;
  fixture.report.sections.resize(1);
  fixture.report.sections[0].rows = {fixture.row(1, 1, 91), fixture.row(1, 4, 22.5, false), fixture.row(1, 8, 19)};
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {{.columns = 100}}), R"(@fitcounts@)");
}

TEST(FitTable, SaysByHowMuchNothingFitsAndWhatWouldChangeIt) {
  Fixture fixture;
  fixture.report.sections.resize(1);
  FitSection& section = fixture.report.sections[0];
  section.rows = {fixture.row(1, 8, 30), fixture.row(2, 8, 13)};
  section.remedies = {{"method: lora", 8 * units::GiB, true}, {"sequence: 1,024", 12 * units::GiB, false}};
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {{.columns = 100}}), R"(@fitnone@)");
  EXPECT_FALSE(section.held());
}

TEST(FitTable, JsonHoldsRowsPartsAndRemedies) {
  const Fixture fixture;
  const auto result = nlohmann::json::parse(fit_json(fixture.report, fixture.catalogue, {}));
  EXPECT_EQ(result["schema"], "gpuplan/fit@1");
  EXPECT_EQ(result["params"], 8.03e9);
  ASSERT_EQ(result["sections"].size(), 2U);
  const auto& rows = result["sections"][0]["rows"];
  ASSERT_EQ(rows.size(), 2U) << "what holds nothing is left out";
  EXPECT_EQ(rows[0]["gpu"], "H100 SXM");
  EXPECT_EQ(rows[0]["gpus"], 2);
  EXPECT_EQ(rows[0]["fit"], "fits");
  EXPECT_EQ(rows[0]["largest_batch"], 3);
  double sum = 0;
  for (const auto& [part, size] : rows[0]["memory_gib"].items())
    if (part != "total") sum += size.get<double>();
  EXPECT_NEAR(sum, rows[0]["needed_gib"], 1e-9);
  const auto all = nlohmann::json::parse(fit_json(fixture.report, fixture.catalogue, {.all = true}));
  EXPECT_EQ(all["sections"][0]["rows"].size(), 3U);
  EXPECT_EQ(all["sections"][0]["rows"][2]["memory_gib"], nullptr);
  EXPECT_NEAR(all["sections"][0]["rows"][2]["needed_gib"], 13, 1e-9);
}

}  // namespace
}  // namespace gpuplan
