#include "output/views/plan_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/amount.h"
#include "base/text.h"
#include "output/plan_fixture.h"
#include "output/text/json_writer.h"

namespace gpuplan {
namespace {

using nlohmann::json;

/// Rows of a view as other programs read them.
json rows_of(const PlanReport& report, const std::string& name) {
  for (const PlanView& view : plan_views()) {
    if (view.name != name) continue;
    JsonWriter writer;
    write_views(writer, {&view}, report);
    return json::parse(writer.take())[name]["rows"];
  }
  ADD_FAILURE() << "no view " << name;
  return {};
}

std::string view_text(const PlanReport& report, const std::string& name, int columns = 140) {
  const Screen screen{.columns = columns};
  for (const PlanView& view : plan_views())
    if (view.name == name) return view_text(view.make(report, screen), screen);
  ADD_FAILURE() << "no view " << name;
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The same GPU as a plan of the fixture, alone.
Plan& add_single(PlanFixture& fixture, std::size_t like, double dollars_an_hour, double hours, double spread) {
  const Gpu* gpu = fixture.found.plans[like].node.gpu;
  Plan& plan = fixture.add(gpu->name, 31.8, dollars_an_hour, hours, spread);
  fixture.market.back().gpus = 1;
  plan.label = "1x " + gpu->name;
  plan.node = {.gpu = gpu, .gpus = 1};
  plan.gpus = 1;
  plan.phases[0].estimate.change().node = plan.node;
  plan.phases[0].estimate.change().gpus = 1;
  return plan;
}

PlanReport report_of(PlanFixture& fixture) {
  fixture.mark();
  return fixture.report();
}

// The fixture: 4x RTX 3090 3.4 h $4.76, 4x RTX 5090 1.6 h $5.12 (pick), 4x H100 SXM 1.27 h $15.24, 4x B200 0.89 h
// $19.58, and 4x RTX 4090 2.4 h $5.76, which the RTX 5090 dominates. An hour is worth $7.

TEST(PlanViews, AllFitTheScreenAndHaveRows) {
  const PlanFixture fixture;
  for (const PlanView& view : plan_views())
    for (const int columns : {80, 140}) {
      const std::string text = view_text(fixture.report(), std::string(view.name), columns);
      for (const std::string_view line : split(text, '\n')) EXPECT_LE(display_width(line), columns) << line;
      EXPECT_FALSE(view.help.empty());
    }
}

TEST(PlanViews, SavedComparesWithTheStepBeforeTheCheapestAndAllOfThem) {
  const PlanFixture fixture;
  const json rows = rows_of(fixture.report(), "saved");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_TRUE(rows[0]["extra_usd"].is_null());
  EXPECT_NEAR(rows[1]["extra_usd"], 0.36, 1e-9);
  EXPECT_NEAR(rows[1]["saved_hours"], 1.8, 1e-9);
  EXPECT_NEAR(rows[1]["usd_per_hour_saved"], 0.20, 1e-9);
  EXPECT_EQ(rows[1]["worth_it"], "yes");
  EXPECT_NEAR(rows[2]["usd_per_hour_saved"], 10.12 / 0.33, 1e-6);
  EXPECT_NEAR(rows[2]["usd_per_hour_saved_to_cheapest"], 10.48 / 2.13, 1e-6);
  EXPECT_NEAR(rows[2]["worth_it_above_usd_per_hour"], 10.12 / 0.33, 1e-6);
  EXPECT_EQ(rows[2]["worth_it"], "no");
  // $11.42 against the H100, but it has to beat the RTX 5090 too: $14.46 for 0.71 h.
  EXPECT_NEAR(rows[3]["usd_per_hour_saved"], 4.34 / 0.38, 1e-6);
  EXPECT_NEAR(rows[3]["worth_it_above_usd_per_hour"], 14.46 / 0.71, 1e-6);
  EXPECT_NEAR(rows[3]["hours_p10"], 0.89 / 1.12, 1e-9);
}

TEST(PlanViews, SavedJudgesByTheJobsValueOfAnHour) {
  PlanFixture fixture;
  fixture.job.value_of_time = 25 * units::dollar / units::hour;
  const json rows = rows_of(report_of(fixture), "saved");
  EXPECT_EQ(rows[2]["worth_it"], "no");
  EXPECT_EQ(rows[3]["worth_it"], "yes");
  EXPECT_TRUE(has(view_text(fixture.report(), "saved"), "at $25"));
}

TEST(PlanViews, WorthFindsTheBestPlanForEachValue) {
  const PlanFixture fixture;
  const json rows = rows_of(fixture.report(), "worth");
  std::vector<double> values;
  for (const json& row : rows) values.push_back(row["value_of_an_hour_usd"]);
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 5, 7, 10, 20, 50}));
  EXPECT_EQ(rows[0]["plan"], "4x RTX 3090");
  EXPECT_EQ(rows[4]["plan"], "4x RTX 5090");
  EXPECT_NEAR(rows[4]["cost_and_hours_usd"], 5.12 + 7 * 1.6, 1e-9);
  EXPECT_NEAR(rows[4]["best_from_usd"], 0.20, 1e-9);
  EXPECT_NEAR(rows[4]["best_to_usd"], 14.46 / 0.71, 1e-6);
  EXPECT_EQ(rows[7]["plan"], "4x B200");
  EXPECT_NEAR(rows[7]["cost_and_hours_usd"], 19.58 + 50 * 0.89, 1e-9);
  EXPECT_TRUE(rows[7]["best_to_usd"].is_null());
  EXPECT_TRUE(has(view_text(fixture.report(), "worth"), "Never the best: 4x H100 SXM."));
}

TEST(PlanViews, DecisionsNameAPlanForEachPriority) {
  PlanFixture fixture;
  fixture.job.limits.budget = 10 * units::dollar;
  for (Plan& plan : fixture.found.plans) plan.meets_budget = plan.cost.p90 < Dollars{10};
  const json rows = rows_of(report_of(fixture), "decisions");
  std::map<std::string, json> by;
  for (const json& row : rows) by[row["priority"]] = row;
  EXPECT_EQ(by["cheapest"]["plan"], "4x RTX 3090");
  EXPECT_EQ(by["cheapest"]["when"], "you can wait: your time is worth under $0.20/h");
  EXPECT_EQ(by["best value"]["plan"], "4x RTX 5090");
  EXPECT_EQ(by["fastest"]["plan"], "4x B200");
  EXPECT_EQ(by["fastest"]["limits"], "over budget");
  EXPECT_EQ(by["within budget"]["plan"], "4x RTX 5090");
  EXPECT_NEAR(by["lowest price"]["usd_per_hour"], 1.40, 1e-9);
  EXPECT_EQ(by.count("one GPU"), 0U) << "no offer has one";
  EXPECT_EQ(by.count("no interruptions"), 0U) << "nothing is spot";
}

TEST(PlanViews, DecisionsSayHowFarThePlansAreApart) {
  PlanFixture fixture;
  EXPECT_TRUE(has(view_text(fixture.report(), "decisions"),
                  "Best trade-offs span $4.76–$19.58 (4.1x) and 3.4 h–53 min (3.8x)."));
  for (Plan& plan : fixture.found.plans) plan.cost.p50 = Dollars{10} - plan.hours.p50 * (Dollars{0.1} / units::hour);
  EXPECT_TRUE(has(view_text(report_of(fixture), "decisions"), "all cost about the same, so choose by time."));
}

TEST(PlanViews, DecisionsSayWhenNoPlanKeepsTheDeadline) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 0.5 * units::hour;
  for (Plan& plan : fixture.found.plans) plan.meets_deadline = false;
  const std::string text = view_text(report_of(fixture), "decisions");
  EXPECT_TRUE(has(text, "none")) << text;
  EXPECT_TRUE(has(text, "no plan meets 30 min with 90% chance")) << text;
}

TEST(PlanViews, DecisionsAddTheContingencyToWhatComesNearestToTheBudget) {
  PlanFixture fixture;
  fixture.job.limits.budget = 2 * units::dollar;
  fixture.job.contingency = 3 * units::dollar;
  for (Plan& plan : fixture.found.plans) plan.meets_budget = false;
  const auto dear = [](const Plan& plan) { return plan.cost.p90; };
  const Dollars nearest = dear(*std::ranges::min_element(fixture.found.plans, {}, dear));
  const json rows = rows_of(report_of(fixture), "decisions");
  const auto within = std::ranges::find_if(rows, [](const json& row) { return row["priority"] == "within budget"; });
  ASSERT_NE(within, rows.end());
  const std::string when = (*within)["when"];
  EXPECT_TRUE(has(when, "P90 " + to_text(nearest + 3 * units::dollar) + " with the contingency")) << when;
}

TEST(PlanViews, DecisionsTellSpotAndSingleGpusApart) {
  PlanFixture fixture;
  add_single(fixture, 1, 0.80, 6.2, 1.07);
  fixture.found.plans[1].spot = true;
  fixture.market[1].spot_price = exactly(3.20 * units::dollar / units::hour);
  const json rows = rows_of(report_of(fixture), "decisions");
  std::map<std::string, json> by;
  for (const json& row : rows) by[row["priority"]] = row;
  EXPECT_EQ(by["one GPU"]["plan"], "1x RTX 5090");
  EXPECT_EQ(by["fewest GPUs"]["plan"], "1x RTX 5090");
  // On demand at $7 an hour: RTX 4090 5.76 + 16.8 = 22.56, H100 24.13, B200 25.81, RTX 3090 28.56, 1x RTX 5090 48.36.
  EXPECT_EQ(by["no interruptions"]["plan"], "4x RTX 4090");
}

TEST(PlanViews, SpeedIsRelativeToTheSlowest) {
  const PlanFixture fixture;
  const json rows = rows_of(fixture.report(), "speed");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0]["gpus"], "4x B200");  // fastest first
  EXPECT_EQ(rows[4]["gpus"], "4x RTX 3090");
  EXPECT_NEAR(rows[4]["tokens_per_second"], 3072000 / (3.4 * 3600), 1e-6);
  EXPECT_EQ(rows[4]["relative_speed"], 1.0);
  const json& row = rows[2];
  EXPECT_EQ(row["gpus"], "4x RTX 5090");
  EXPECT_NEAR(row["tokens_per_second_a_gpu"], 3072000 / (1.6 * 3600) / 4, 1e-6);
  EXPECT_NEAR(row["relative_speed"], 3.4 / 1.6, 1e-9);
  // Independent errors: exp(sqrt(ln(1.07)^2 + ln(1.2)^2)) = 1.21467.
  EXPECT_NEAR(row["relative_speed_p10"], 2.125 / 1.21467, 1e-4);
  EXPECT_NEAR(row["relative_speed_p90"], 2.125 * 1.21467, 1e-4);
  EXPECT_NEAR(row["relative_price"], 3.2 / 1.4, 1e-9);
  EXPECT_NEAR(row["relative_cost"], 5.12 / 4.76, 1e-9);
}

TEST(PlanViews, SpeedLeavesOutWhatTheJobAddsToTheWork) {
  PlanFixture fixture;
  for (Plan& plan : fixture.found.plans) plan.phases[0].estimate.change().overhead_share = 0.1;
  EXPECT_NEAR(rows_of(fixture.report(), "speed")[4]["tokens_per_second"], 1.1 * 3072000 / (3.4 * 3600), 1e-6);
}

TEST(PlanViews, ScalingSetsOneGpuAgainstFour) {
  PlanFixture fixture;
  add_single(fixture, 1, 0.80, 6.2, 1.07);
  add_single(fixture, 1, 0.90, 6.2, 1.07);  // dearer elsewhere: not shown
  const json rows = rows_of(report_of(fixture), "scaling");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["plan"], "1x RTX 5090");
  EXPECT_NEAR(rows[0]["cost_usd"], 4.96, 1e-9);
  EXPECT_NEAR(rows[1]["speed_up"], 6.2 / 1.6, 1e-9);
  EXPECT_NEAR(rows[1]["parallel_efficiency"], 6.2 / 1.6 / 4, 1e-9);
  EXPECT_NEAR(rows[1]["relative_cost"], 5.12 / 4.96, 1e-9);
  EXPECT_FALSE(has(view_text(fixture.report(), "scaling"), "differs between sizes"));
}

TEST(PlanViews, ScalingSaysWhenPricesDoNotScale) {
  PlanFixture fixture;
  EXPECT_TRUE(has(view_text(fixture.report(), "scaling"), "No GPU is offered in two sizes"));
  add_single(fixture, 1, 1.00, 6.2, 1.07);
  EXPECT_TRUE(
      has(view_text(report_of(fixture), "scaling"), "The price per GPU-hour differs between sizes of RTX 5090"));
}

TEST(PlanViews, PricesTellSpotDiscountsAndWhatHoldsTheJob) {
  PlanFixture fixture;
  fixture.market[1].spot_price = exactly(1.60 * units::dollar / units::hour);
  Offer small;
  small.gpu = "RTX 3090";
  small.price = exactly(0.35 * units::dollar / units::hour);
  const std::vector<Offer> market = {small};
  PlanReport report = fixture.report();
  report.offers = market;
  const json rows = rows_of(report, "prices");
  ASSERT_EQ(rows.size(), 6U);
  std::map<std::string, json> by;
  for (const json& row : rows) by[row["offer"]] = row;
  EXPECT_NEAR(by["4x RTX 5090"]["spot_discount"], 0.5, 1e-9);
  EXPECT_NEAR(by["4x RTX 5090"]["usd_per_gpu_hour"], 0.80, 1e-9) << "the job takes no spot";
  EXPECT_NEAR(by["4x RTX 5090"]["memory_share"], 16.3 / 31.8, 1e-9);
  EXPECT_EQ(by["1x RTX 3090"]["holds_the_job"], "no");
  EXPECT_EQ(by["4x B200"]["availability"], "very rare");
  EXPECT_TRUE(has(view_text(report, "prices", 200), "Less than 25% of the memory is used on H100 SXM and B200"));
  fixture.job.where.spot = SpotUse::kAllow;
  for (const json& row : rows_of(report, "prices"))
    if (row["offer"] == "4x RTX 5090") {
      EXPECT_NEAR(row["usd_per_gpu_hour"], 0.40, 1e-9);
    }
}

TEST(PlanViews, FallbackRanksByTheGoalWithAPriceForEach) {
  const PlanFixture fixture;
  const json rows = rows_of(fixture.report(), "fallback");
  ASSERT_EQ(rows.size(), 5U);
  const std::vector<std::string> order = {"4x RTX 5090", "4x RTX 4090", "4x H100 SXM", "4x B200", "4x RTX 3090"};
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(rows[i]["plan"], order[i]);
  EXPECT_EQ(rows[0]["availability"], "rare");
  // Cost + $7 x hours: 16.32, 22.56, 24.13, 25.81, 28.56. At the limit the plan's own comes to the next one's.
  EXPECT_NEAR(rows[0]["below_usd_per_hour"], (22.56 - 11.2) / 1.6, 1e-6);
  EXPECT_NEAR(rows[1]["below_usd_per_hour"], (24.13 - 16.8) / 2.4, 1e-6);
  EXPECT_NEAR(rows[3]["below_usd_per_hour"], (28.56 - 6.23) / 0.89, 1e-6);
  EXPECT_TRUE(rows[4]["below_usd_per_hour"].is_null());
}

TEST(PlanViews, FallbackKeepsTheBudgetAndCountsOffers) {
  PlanFixture fixture;
  fixture.job.limits.budget = 6 * units::dollar;
  fixture.add("RTX 3090", 23.7, 1.40, 3.4, 1.2);
  for (Plan& plan : fixture.found.plans) plan.meets_budget = plan.cost.p90 < Dollars{6};
  const json rows = rows_of(report_of(fixture), "fallback");
  ASSERT_EQ(rows.size(), 2U);  // P90 of the RTX 5090 is $5.48, of both RTX 3090 $5.71, of the RTX 4090 $6.34
  EXPECT_EQ(rows[0]["plan"], "4x RTX 5090");
  EXPECT_NEAR(rows[0]["below_usd_per_hour"], 3.2 * 6 / (5.12 * 1.07), 1e-6);
  EXPECT_EQ(rows[1]["offers"], 2);
}

TEST(PlanViews, FallbackStartsWithTheNearestMissWhenNoPlanKeepsTheLimits) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 0.5 * units::hour;
  for (Plan& plan : fixture.found.plans) plan.meets_deadline = false;
  const json rows = rows_of(report_of(fixture), "fallback");
  ASSERT_EQ(rows.size(), 5U);
  const std::vector<std::string> order = {"4x B200", "4x H100 SXM", "4x RTX 5090", "4x RTX 4090", "4x RTX 3090"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(rows[i]["plan"], order[i]);
    EXPECT_EQ(rows[i]["limits"], "misses deadline");
    EXPECT_TRUE(rows[i]["below_usd_per_hour"].is_null());
  }
}

TEST(PlanViews, FallbackSaysWhenThereIsNone) {
  PlanFixture fixture;
  fixture.found.plans.resize(1);
  EXPECT_TRUE(has(view_text(report_of(fixture), "fallback"), "No alternative: "));
}

TEST(PlanViews, ChartMarksFrontierPickAndTheOthers) {
  const PlanFixture fixture;
  const std::string text = view_text(fixture.report(), "chart", 80);
  for (const char* mark : {"A  4x RTX 3090", "✔  4x RTX 5090", "B  4x H100 SXM", "C  4x B200", "a  4x RTX 4090",
                           "small letters: 1 dominated plan"})
    EXPECT_TRUE(has(text, mark)) << text;
  const json rows = rows_of(fixture.report(), "chart");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1]["kind"], "pick");
  EXPECT_EQ(rows[4]["kind"], "dominated");
}

TEST(PlanViews, ChartDrawsDotsWhereTheOthersAreMany) {
  PlanFixture fixture;
  for (int i = 0; i < 12; ++i) fixture.found.plans.push_back(fixture.found.plans[4]);
  const std::string text = view_text(report_of(fixture), "chart", 80);
  EXPECT_TRUE(has(text, "· 13 dominated plans")) << text;
  EXPECT_FALSE(has(text, "a  4x RTX 4090")) << text;
}

TEST(PlanViews, AFreePlanIsCompared) {
  PlanFixture fixture;
  for (Plan& plan : fixture.found.plans) plan.cost = {};
  for (Offer& offer : fixture.market) offer.price = exactly(DollarsPerSecond{});
  const PlanReport report = report_of(fixture);
  for (const PlanView& view : plan_views()) {
    const std::string text = view_text(report, std::string(view.name));
    EXPECT_FALSE(has(text, "nan") || has(text, "inf ")) << text;
  }
}

TEST(PlanViews, LongTablesAreCutUnlessAllIsAskedFor) {
  PlanFixture fixture;
  fixture.found.plans.reserve(64);
  for (int i = 0; i < 30; ++i) {
    Plan plan = fixture.found.plans[4];
    plan.label += " " + std::to_string(i);
    plan.cost.p50 += Dollars{0.01 * i};
    fixture.found.plans.push_back(plan);
  }
  PlanReport report = report_of(fixture);
  EXPECT_EQ(rows_of(report, "dominated").size(), 20U);
  EXPECT_TRUE(has(view_text(report, "dominated"), "Shown 20 of 31 plans (--all)."));
  report.all = true;
  EXPECT_EQ(rows_of(report, "dominated").size(), 31U);
}

}  // namespace
}  // namespace gpuplan
