#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "output/answer/plan_json.h"
#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

std::string line_of(const std::string& text, std::size_t number) { return std::string(split(text, '\n')[number]); }

TEST(PlanCsv, ARowForEachPlan) {
  PlanFixture fixture;
  const std::string text = plan_csv(fixture.report(), false);
  EXPECT_EQ(std::ranges::count(text, '\n'), 6);
  EXPECT_EQ(
      line_of(text, 0),
      "id,plan,label,provider,region,instance,gpu,gpus,nodes,spot,hours_p10,hours_p50,hours_p90,hours_mean,"
      "cost_usd_p10,cost_usd_p50,cost_usd_p90,cost_usd_mean,gpu_hours,billed_gpu_hours,evidence,fit,pick,"
      "on_frontier,dominated_by,usd_per_hour_saved,chance_in_time,chance_best,meets_deadline,meets_budget,reaches_"
      "target,"
      "interruptions,interruption_hours,idle_usd,memory_gib_p10,memory_gib_p50,memory_gib_p90,usable_gib,availability,"
      "as_of");
  const std::string pick = line_of(text, 2);
  EXPECT_NE(pick.find("4x RTX 5090,4x RTX 5090,,,,RTX 5090,4,1,false,"), std::string::npos) << pick;
  EXPECT_NE(pick.find(",given,fits,true,true,,"), std::string::npos) << pick;
}

TEST(PlanCsv, PlansOverSeveralOffersHaveNoneOfTheirOwn) {
  PlanFixture fixture;
  Plan& plan = fixture.found.plans.front();
  plan.offer = nullptr;
  const std::string row = line_of(plan_csv(fixture.report(), false), 1);
  EXPECT_TRUE(row.starts_with(plan.id + ",4x RTX 3090,4x RTX 3090,,,,,,,false,")) << row;
}

TEST(PlanCsv, OnlyHeadsWhenNothingFits) {
  PlanFixture fixture;
  fixture.found.plans.clear();
  fixture.found.recommendations = {};
  const std::string text = plan_csv(fixture.report(), false);
  EXPECT_TRUE(text.starts_with("id,plan,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

}  // namespace
}  // namespace gpuplan
