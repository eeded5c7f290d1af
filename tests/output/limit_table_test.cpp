#include "output/answer/parts/limit_table.h"

#include <gtest/gtest.h>

#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

LimitRemedy remedy(std::string change, double hours, double dollars, bool in_time, bool in_budget) {
  LimitRemedy result;
  result.change = std::move(change);
  result.plan = "4x H100 SXM";
  result.hours.p90 = hours * units::hour;
  result.cost.p90 = Dollars{dollars};
  result.meets_deadline = in_time;
  result.meets_budget = in_budget;
  result.keeps = in_time && in_budget;
  return result;
}

TEST(LimitTable, ListsWhatWasTried) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 1 * units::hour;
  PlanReport report = fixture.report();
  EXPECT_EQ(limit_table(report, {.columns = 100}), "");
  report.limit_remedies = {remedy("where.nodes: [2]", 0.8, 20, true, true),
                           remedy("where.gpus: all", 1.5, 12, false, true)};
  EXPECT_EQ(limit_table(report, {.columns = 100}), R"(  Change one of these:
    CHANGE            PLAN           P90     P90  THEN
                                   hours    cost
    where.nodes: [2]  4x H100 SXM    0.8  $20.00  meets the deadline
    where.gpus: all   4x H100 SXM    1.5  $12.00  still late
)");
}

TEST(LimitTable, NamesTheLimitsThatAreKeptOrMissed) {
  Limits both;
  both.deadline = 1 * units::hour;
  both.budget = Dollars{10};
  EXPECT_EQ(limit_verdict(remedy("", 1, 1, true, true), both), "meets both limits");
  EXPECT_EQ(limit_verdict(remedy("", 1, 1, true, false), both), "still over budget");
  EXPECT_EQ(limit_verdict(remedy("", 1, 1, false, true), both), "still late");
  EXPECT_EQ(limit_verdict(remedy("", 1, 1, false, false), both), "still late and over budget");
  Limits budget;
  budget.budget = Dollars{10};
  EXPECT_EQ(limit_verdict(remedy("", 1, 1, true, true), budget), "within budget");
}

}  // namespace
}  // namespace gpuplan
