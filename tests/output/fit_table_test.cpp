#include "output/fit/report.h"

#include <gtest/gtest.h>
#include <algorithm>

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
  estimate.memory.fragmentation = 0.125 * total;
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

TEST(FitTable, DoubtsOfTheModelStandBelowTheHeadingAndInJson) {
  Fixture fixture;
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {}).find("! "), std::string::npos);
  for (FitSection& section : fixture.report.sections) {
    ModelUse& model = std::get<TrainPhase>(section.job.phases.front().work).models.front();
    model.name = "mine";
    model.shape.doubt = "half of it is not read";
  }
  const std::string text = fit_table(fixture.report, fixture.catalogue, {});
  const std::size_t at = text.find("! Model mine: half of it is not read.");
  EXPECT_LT(at, text.find("qlora")) << text;
  EXPECT_EQ(text.find("! Model", at + 1), std::string::npos) << "once";
  const auto json = nlohmann::json::parse(fit_json(fixture.report, fixture.catalogue, {}));
  ASSERT_EQ(json["warnings"].size(), 1U);
}

TEST(FitTable, OneCardGetsAVerdictFirst) {
  Fixture fixture;
  fixture.report.every_count = true;
  fixture.report.sections[0].rows = {fixture.row(1, 1, 30), fixture.row(1, 2, 22, false), fixture.row(1, 4, 12)};
  fixture.report.sections[1].rows = {fixture.row(1, 1, 14)};
  const std::string text = fit_table(fixture.report, fixture.catalogue, {{120, false}});
  EXPECT_NE(
      text.find(
          "  RTX 4090, 23.9 GiB usable:\n"
          "    full: OOM risk on 2 GPUs (22.0 GiB typical, 24.2 at P90, 23.9 usable); yes on 4 GPUs; max micro-batch "
          "3.\n"
          "    qlora: yes; max micro-batch 3.\n"),
      std::string::npos)
      << text;
  fixture.report.sections[1].rows = {fixture.row(1, 1, 30)};
  EXPECT_NE(fit_table(fixture.report, fixture.catalogue, {{120, false}}).find("qlora: no, not on 1 GPU.\n"),
            std::string::npos);
  fixture.report.sections[1].rows = {fixture.row(0, 1, 14)};
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {{120, false}}).find("  On "), std::string::npos);
}

TEST(FitTable, ShowsTheSmallestMachineOfEachGpuAndTheParts) {
  const Fixture fixture;
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {.screen = {.columns = 120}, .details = true}),
            R"(Llama-3.1-8B (8.03B parameters): predicted memory per GPU

  Smallest machine: full 2x H100 SXM, qlora 1x RTX 3060.

  Fewest GPUs that it fits on (up to 8): GPUs, memory per GPU, max batch per GPU or replica if more than 1
  GPU         USABLE  full                  qlora
  H100 SXM  79.6 GiB  2x 56.0 GiB, batch 3  1x 14.0 GiB, batch 3, CPU offload
  RTX 4090  23.9 GiB  8x 19.0 GiB, batch 3  1x 14.0 GiB, batch 3
  RTX 3060  11.7 GiB  –                     1x 10.0 GiB, batch 3

  Memory by component on the smallest machine, in GiB per GPU
  PART                  full        qlora
                 2x H100 SXM  1x RTX 3060
  weights               28.0          5.0
  optimizer             14.0          2.5
  activations            7.0          1.2
  fragmentation          7.0          1.2
  needed                56.0         10.0
  P10–P90          50.4–61.6     9.0–11.0
  usable                79.6         11.7
    full: data parallel 2, ZeRO-3, micro-batch 1, bf16
    qlora: micro-batch 1, bf16

  full: fine-tuning, micro-batch 1
  qlora: fine-tuning, micro-batch 1
)");
}

TEST(FitTable, TheShortAnswerIsShorterAndNamesEveryCard) {
  Fixture fixture;
  FitReport& report = fixture.report;
  // Two cards that answer alike stand in one line.
  report.sections[0].rows = {fixture.row(0, 2, 19), fixture.row(1, 2, 19)};
  report.sections[1].rows = {fixture.row(0, 1, 14), fixture.row(1, 1, 14)};
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const std::string brief = fit_table(report, fixture.catalogue, {.screen = {.columns = 120}});
  const std::string whole = fit_table(report, fixture.catalogue, {.screen = {.columns = 120}, .details = true});
  EXPECT_LT(lines(brief), lines(whole)) << brief;
  EXPECT_NE(brief.find("Smallest machine: full 2x RTX 4090, qlora 1x RTX 4090."), std::string::npos) << brief;
  EXPECT_NE(brief.find("H100 SXM, RTX 4090"), std::string::npos) << brief;
  EXPECT_NE(brief.find("--details"), std::string::npos) << brief;
  EXPECT_EQ(whole.find("--details"), std::string::npos) << whole;
}

TEST(FitTable, ShowsEveryCountOnDemand) {
  Fixture fixture;
  fixture.report.every_count = true;
  fixture.report.sections.resize(1);
  fixture.report.sections[0].rows = {fixture.row(1, 1, 91), fixture.row(1, 4, 22.5, false), fixture.row(1, 8, 19)};
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {.screen = {.columns = 100}, .details = true}),
            R"(Llama-3.1-8B (8.03B parameters): predicted memory per GPU

  RTX 4090, 23.9 GiB usable:
    full: OOM risk on 4 GPUs (22.5 GiB typical, 24.8 at P90, 23.9 usable); yes on 8 GPUs; max
      micro-batch 3.

  full: fine-tuning, micro-batch 1
  GPUS               MEMORY    P10–P90  WEIGHTS  OPTIMIZER  ACTIVATIONS  OTHER  MAX BATCH
                GiB per GPU
  1x RTX 4090  91.0 of 23.9
  4x RTX 4090  22.5 of 23.9  20.2–24.8     11.2        5.6          2.8    2.8   OOM risk
  8x RTX 4090  19.0 of 23.9  17.1–20.9      9.5        4.8          2.4    2.4          3
)");
}

TEST(FitTable, SaysByHowMuchNothingFitsAndWhatWouldChangeIt) {
  Fixture fixture;
  fixture.report.sections.resize(1);
  FitSection& section = fixture.report.sections[0];
  section.rows = {fixture.row(1, 8, 30), fixture.row(2, 8, 13)};
  section.remedies = {{"method: lora", 8 * units::GiB, true}, {"sequence: 1,024", 12 * units::GiB, false}};
  EXPECT_EQ(fit_table(fixture.report, fixture.catalogue, {.screen = {.columns = 100}, .details = true}),
            R"(Llama-3.1-8B (8.03B parameters): predicted memory per GPU

  full: fine-tuning, micro-batch 1
  full: does not fit on up to 8 GPUs. Closest: 8x RTX 3060 is 1.3 GiB short (13.0 needed, 11.7
    usable per GPU).
  Any one of these makes it fit on RTX 3060:
    CHANGE              NEEDS  THEN
                  GiB per GPU
    method: lora  8.0 of 11.7  fits
  Not enough: sequence: 1,024 (12.0)
)");
  EXPECT_FALSE(section.held());
}

TEST(FitTable, TellsWhichPartStopsOneMore) {
  Fixture fixture;
  fixture.report.sections.resize(1);
  FitSection& section = fixture.report.sections[0];
  section.rows = {fixture.row(1, 8, 19)};
  section.rows[0].limit = {4, "activations", 9 * units::GiB, 25 * units::GiB, 23.9 * units::GiB};
  EXPECT_NE(fit_table(fixture.report, fixture.catalogue, {.screen = {.columns = 120}, .details = true})
                .find("max micro-batch 3, limited by activations"),
            std::string::npos);
  const auto json = nlohmann::json::parse(fit_json(fixture.report, fixture.catalogue, {}));
  const auto& stop = json["sections"][0]["rows"][0]["stopped_by"];
  EXPECT_EQ(stop["part"], "activations");
  EXPECT_EQ(stop["sequences"], 4);
  EXPECT_NEAR(stop["part_gib"].get<double>(), 9, 1e-9);
  EXPECT_NEAR(stop["needed_gib"].get<double>(), 25, 1e-9);
  EXPECT_NE(fit_csv(fixture.report, {}).find(",activations,9,"), std::string::npos);
  // What needs too much names its largest part.
  fixture.report.every_count = true;
  section.rows = {fixture.row(1, 1, 30)};
  section.rows[0].limit = {1, "optimizer", 20 * units::GiB, 30 * units::GiB, 23.9 * units::GiB};
  EXPECT_NE(fit_table(fixture.report, fixture.catalogue, {.screen = {.columns = 120}, .details = true})
                .find("optimizer 20.0"),
            std::string::npos);
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
