#include "output/answer/short_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/plan_json.h"
#include "output/answer/remarks.h"
#include "output/plan_fixture.h"
#include "output/words/plan_how.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

std::string answer(const PlanFixture& fixture) { return short_answer(fixture.report(), {.columns = 100}); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Labels of the rows, in their order.
std::vector<std::string> labels(const PlanFixture& fixture) {
  std::vector<std::string> names;
  for (const Plan* plan : answer_rows(fixture.report())) names.push_back(plan->label);
  return names;
}

TEST(ShortAnswer, SaysWhatToRentFirst) {
  const std::string text = answer(PlanFixture());
  EXPECT_TRUE(has(text,
                  "\nRecommended: 4x RTX 5090, on demand, $3.20/h\n"
                  "  Time  1.6 h (80% range 1.5–1.7)\n"
                  "  Cost  $5.12 (80% range $4.79–$5.48), billed per second\n"))
      << text;
  EXPECT_LE(std::ranges::count(text, '\n'), 24) << text;
}

TEST(ShortAnswer, WhatIsNotReadOfAModelIsAWarning) {
  PlanFixture fixture;
  EXPECT_TRUE(nlohmann::json::parse(plan_json(fixture.report(), {})).contains("warnings"));
  auto& model = models_of(fixture.job.phases.front())->front();
  model.name = "mine";
  model.shape.doubt = "half of it is not read";
  EXPECT_TRUE(has(answer(fixture), "  ! Model mine: half of it is not read.")) << answer(fixture);
  const auto json = nlohmann::json::parse(plan_json(fixture.report(), {}));
  EXPECT_TRUE(has(json["warnings"].dump(), "Model mine")) << json["warnings"];
}

TEST(ShortAnswer, RowsHoldThePickAndRiseInCost) {
  for (const Goal goal : {Goal::kBestValue, Goal::kCheapest, Goal::kFastest, Goal::kFewestGpus})
    for (const double value : {0.0, 0.1, 1.0, 7.0, 100.0, 10'000.0}) {
      PlanFixture fixture;
      fixture.job.goal = goal;
      fixture.job.value_of_time = value * units::dollar / units::hour;
      fixture.mark();
      const PlanReport report = fixture.report();
      const std::vector<const Plan*> rows = answer_rows(report);
      EXPECT_LE(rows.size(), 6U);
      EXPECT_NE(std::ranges::find(rows, report.pick()), rows.end()) << value;
      EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const Plan* plan) { return plan->cost.p50; })) << value;
    }
}

TEST(ShortAnswer, AnHourThatCostsFarMoreThanItIsWorthComesLast) {
  PlanFixture fixture;
  fixture.catalogue.answer_constants.rows = 2;
  fixture.job.value_of_time = 0.5 * units::dollar / units::hour;  // 4x B200 saves hours at $20 each
  fixture.mark();
  EXPECT_EQ(labels(fixture), (std::vector<std::string>{"4x RTX 3090", "4x RTX 5090"}));
  EXPECT_TRUE(has(answer(fixture), "Not shown: fastest 4x B200, 53 min, $19.58.")) << answer(fixture);
  fixture.job.value_of_time = 7 * units::dollar / units::hour;
  fixture.mark();
  EXPECT_EQ(labels(fixture), (std::vector<std::string>{"4x RTX 5090", "4x B200"}));
}

TEST(ShortAnswer, CheapestAndFastestAreSaidOfNoOther) {
  PlanFixture fixture;
  fixture.job.limits.budget = Dollars{10};
  for (Plan& plan : fixture.found.plans) plan.meets_budget = plan.cost.p50 < Dollars{10};
  fixture.found.plans[0].fit = Fit::kTight;  // 4x RTX 3090, the cheapest
  fixture.mark();
  const PlanReport report = fixture.report();
  for (const Plan& plan : report.found.plans) {
    const std::string remark = row_remark(report, plan);
    const bool cheapest =
        std::ranges::none_of(report.found.plans, [&](const Plan& p) { return p.cost.p50 < plan.cost.p50; });
    EXPECT_EQ(remark.starts_with("cheapest") && !has(remark, "cheapest that fits"), cheapest) << plan.label << remark;
    EXPECT_EQ(has(remark, "OOM risk"), plan.fit == Fit::kTight) << plan.label;
    EXPECT_EQ(has(remark, "over budget"), !plan.meets_budget) << plan.label;
  }
}

TEST(ShortAnswer, TellsTheChanceToBeTheBestAndTheRegret) {
  PlanFixture fixture;
  EXPECT_FALSE(has(answer(fixture), "BEST IN"));
  EXPECT_FALSE(has(answer(fixture), "In 8 of 10 cases"));
  const auto before = nlohmann::json::parse(plan_json(fixture.report(), {}));
  EXPECT_TRUE(before["plans"][0]["chance_best"].is_null());
  EXPECT_TRUE(before["recommendations"]["regret"].is_null());

  fixture.found.plans[1].chance_best = 0.46;
  fixture.found.recommendations.regret = Regret{Dollars{0.4}, {}};
  EXPECT_TRUE(has(answer(fixture), "BEST IN")) << answer(fixture);
  EXPECT_TRUE(has(answer(fixture), "46%")) << answer(fixture);
  EXPECT_TRUE(has(answer(fixture), "In 8 of 10 cases this plan is within $0.40 of the best")) << answer(fixture);
  const auto after = nlohmann::json::parse(plan_json(fixture.report(), {}));
  EXPECT_EQ(after["plans"][1]["chance_best"], 0.46);
  EXPECT_EQ(after["recommendations"]["regret"]["cost_usd"], 0.4);
  EXPECT_TRUE(after["recommendations"]["regret"]["hours"].is_null());

  fixture.found.recommendations.regret = Regret{{}, 12 * units::minute};
  EXPECT_TRUE(has(answer(fixture), "In 8 of 10 cases this plan is within 12 min of the fastest.")) << answer(fixture);
}

TEST(Remarks, TheHeaviestComeFirst) {
  PlanFixture fixture;
  const std::vector<Remark> all = remarks(fixture.report());
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::ranges::is_sorted(all, std::greater<>(), &Remark::weight));
  for (const Remark& remark : all) EXPECT_FALSE(remark.text.empty());
}

TEST(Remarks, OldPricesAreAWarning) {
  PlanFixture fixture;
  for (Offer& offer : fixture.market) offer.as_of = "2026-04";
  PlanReport report = fixture.report();
  const auto warned = [&](const std::string& today) {
    report.today = today;
    return std::ranges::any_of(remarks(report), [](const Remark& remark) {
      return remark.warning && remark.text.starts_with("Prices are from 2026-04");
    });
  };
  EXPECT_FALSE(warned(""));
  EXPECT_FALSE(warned("2026-05-20"));
  EXPECT_TRUE(warned("2026-11-22"));
}

TEST(Remarks, OffloadSaysHowMuchTheMachineNeedsAndHas) {
  PlanFixture fixture;
  PhaseEstimate& estimate = fixture.found.plans[1].phases[0].estimate.change();
  estimate.strategy.offload = Offload::kOptimizerParams;
  estimate.host_memory = 62 * units::GiB;
  const auto said = [&] {
    for (const Remark& remark : remarks(fixture.report()))
      if (remark.text.starts_with("CPU offload")) {
        EXPECT_EQ(remark.warning, estimate.node->ram <= Bytes{}) << "who rents has to look";
        return remark.text;
      }
    return std::string();
  };
  EXPECT_TRUE(has(said(), "optimizer, weights and the program take 62.0 GiB of CPU memory (RAM)")) << said();
  EXPECT_TRUE(has(said(), "unknown: check before you rent")) << said();
  estimate.node->ram = 128 * units::GiB;
  EXPECT_EQ(said(), "") << "it stands beside the GPU's memory";
  EXPECT_EQ(host_words(estimate), ", 62.0 of 128 GiB of RAM");
  estimate.strategy.offload = Offload::kNone;
  EXPECT_EQ(host_words(estimate), "");
}

/// Rows of one table do the same work; where one does not train the same, or hangs on the host's memory, it is named,
/// whatever else there is to say.
TEST(Remarks, RowsThatAreNotLikeThePickAreNamed) {
  PlanFixture fixture;
  const PlanReport report = fixture.report();
  const std::size_t rows = answer_rows(report).size();
  ASSERT_GE(rows, 2U);
  for (std::size_t i = 0; i < rows; ++i) {
    const Plan* row = answer_rows(report)[i];
    if (row == report.pick()) continue;
    PhaseEstimate& estimate =
        fixture.found.plans[static_cast<std::size_t>(row - fixture.found.plans.data())].phases[0].estimate.change();
    const auto said = [&](std::string_view part) {
      return std::ranges::any_of(remarks(report), [&](const Remark& remark) {
        return remark.text.starts_with(row->label) && has(remark.text, part);
      });
    };
    EXPECT_FALSE(said("pure bf16") || said("CPU memory")) << row->label;
    estimate.lighter = true;
    EXPECT_TRUE(said("pure bf16")) << row->label;
    EXPECT_TRUE(has(answer(fixture), "pure bf16")) << answer(fixture);
    estimate.lighter = false;
    estimate.strategy.offload = Offload::kOptimizer;
    EXPECT_TRUE(said("in CPU memory (offload)")) << row->label;
    estimate.strategy.offload = Offload::kNone;
  }
}

/// Where the precision that is stated, and not the work, decides the framework, which people would not expect.
TEST(Remarks, AFrameworkThatThePrecisionChangesIsTold) {
  const auto told = [](const std::string& keys) {
    const Searched found(job_of(
        "market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases: [{name: a, train: {model: "
        "Llama-3.1-8B, data: {tokens: 20M}, sequence: 2048" +
        keys + "}}]\n"));
    for (const Remark& remark : remarks(PlanReport{found.result, found.job, known()}))
      if (has(remark.text, "not train in")) return remark.text;
    return std::string();
  };
  EXPECT_EQ(told(""), "");
  EXPECT_EQ(told(", precision: bf16"), "");
  EXPECT_EQ(told(", precision: fp8, framework: torchtitan"), "");
  const std::string words = told(", precision: fp8");
  EXPECT_TRUE(has(words, "as torch and hf-trainer do not train in fp8")) << words;
}

}  // namespace
}  // namespace gpuplan
