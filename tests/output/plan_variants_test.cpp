#include "output/answer/plan_variants.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "output/answer/plan_table.h"
#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

/// The job with one variant that runs on its third plan and one that runs nowhere.
PlanReport with_variants(const PlanFixture& fixture) {
  PlanReport report = fixture.report();
  VariantReport fast{
      "fast", {{"goal", "fastest"}, {"where.spot", "never"}}, fixture.found.plans[2], "4x H100 SXM", true};
  fast.pick->fit = Fit::kTight;
  report.variants = {fast, {"huge", {{"phases.collect.collect.batch", "4096"}}, std::nullopt, "", false}};
  return report;
}

TEST(PlanVariants, StandSideBySide) {
  const PlanFixture fixture;
  EXPECT_EQ(variants_table(with_variants(fixture), {.columns = 140}), R"(  Variants:
    VARIANT   PLAN          HOURS  P10–P90    COST    P10–P90  REMARKS                   WHAT CHANGES
    this job  4x RTX 5090     1.6  1.5–1.7   $5.12  4.79–5.48
    fast      4x H100 SXM     1.3  1.2–1.3  $15.24  14.5–16.0  misses a limit, OOM risk  goal: fastest, where.spot: never
    huge      nothing fits                                                               phases.collect.collect.batch: 4096
)");
}

TEST(PlanVariants, AreInTableAndJson) {
  const PlanFixture fixture;
  const PlanReport report = with_variants(fixture);
  const std::string text = plan_table(report, {{.columns = 100}, false});
  EXPECT_NE(text.find("Variants:"), std::string::npos) << text;
  EXPECT_EQ(plan_table(fixture.report(), {{.columns = 100}, false}).find("Variants"), std::string::npos);

  JsonWriter json;
  write_variants(json, report);
  const auto result = nlohmann::json::parse(json.take());
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0]["name"], "fast");
  EXPECT_EQ(result[0]["settings"]["where.spot"], "never");
  EXPECT_EQ(result[0]["pick"]["id"], "k3");
  EXPECT_EQ(result[0]["pick"]["fit"], "tight");
  EXPECT_EQ(result[0]["limits_missed"], true);
  EXPECT_EQ(result[1]["pick"], nullptr);
}

}  // namespace
}  // namespace gpuplan
