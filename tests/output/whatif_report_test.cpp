#include "output/questions/whatif_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "input/job/settings.h"
#include "output/questions/sensitivity_report.h"
#include "output/text/table.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

Job changed(const std::string& setting) {
  auto source = example_source("collection").value();
  if (!setting.empty()) {
    EXPECT_EQ(line_of(set_value(source.tree, setting)), "");
  }
  const ModelFinder models(known());
  return read_job(source, known(), models).value();
}

/// The collection and one change of it.
struct Compared {
  Searched base, after;
  PlanReport base_report, after_report;
  WhatIfReport report;

  explicit Compared(const std::string& setting)
      : base(changed("")),
        after(changed(setting)),
        base_report(base.result, base.job, known()),
        after_report(after.result, after.job, known()) {
    report.command = "gpuplan whatif job.yaml --set " + setting;
    WhatIfCase as_is;
    as_is.title = "baseline";
    as_is.plan_report = &base_report;
    report.cases.push_back(as_is);
    WhatIfCase what;
    what.settings = {setting};
    what.plan_report = &after_report;
    what.changes.push_back({setting, "some.address", "1", "2"});
    what.stays = staying({base.result, base.market}, base.pick(), {after.result, after.market});
    report.cases.push_back(what);
  }
};

TEST(WhatIfReport, SaysWhenThePickStays) {
  const Compared same("market.offers[*].price=x2");
  const std::string text = whatif_text(same.report, {120, false});
  EXPECT_NE(text.find("The recommendation does not change: 4x RTX 5090."), std::string::npos) << text;
  EXPECT_NE(text.find("some.address: 1 -> 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("If you keep"), std::string::npos) << text;
}

TEST(WhatIfReport, FollowsWhoStays) {
  const Compared other("value_of_time=$0.1/h");
  const std::string text = whatif_text(other.report, {120, false});
  EXPECT_NE(text.find("If you keep 4x RTX 5090:"), std::string::npos) << text;
  for (const int columns : {80, 100, 140}) {
    std::string rest = whatif_text(other.report, {columns, false});
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      EXPECT_LE(display_width(rest.substr(0, end)), columns) << rest.substr(0, end);
      rest.erase(0, end + 1);
    }
  }
}

TEST(WhatIfReport, TextsOfTheUserAreHarmless) {
  Compared what("job=a");
  what.report.cases[1].settings = {"job=\x1b[31m"};
  what.report.cases[1].changes[0].after = "\x1b[31m";
  const std::string text = whatif_text(what.report, {100, false});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(WhatIfReport, CsvHasALineForEachCase) {
  const Compared twice("market.offers[*].price=x2");
  const std::string csv = whatif_csv(twice.report);
  EXPECT_TRUE(csv.starts_with("scenario,plan,hours,hours_p10,hours_p90,hours_factor,cost_usd,")) << csv;
  EXPECT_NE(csv.find("\nbaseline,4x RTX 5090,1.60"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nmarket.offers[*].price=x2,4x RTX 5090,1.60"), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

/// The pick at half and at twice its cost.
SensitivityInput input(const std::string& name, const Plan& pick, double low, double high) {
  SensitivityInput made;
  made.name = name;
  made.address = "a." + name;
  made.source = "job";
  made.now = "2";
  made.low = {"1", pick.hours.p50, pick.cost.p50 * low, true, ""};
  made.high = {"3", pick.hours.p50, pick.cost.p50 * high, true, ""};
  return made;
}

TEST(SensitivityReport, LargestSwingFirstWithBarsOnOneScale) {
  const Compared base("job=a");
  const Plan& pick = base.base.pick();
  SensitivityReport report;
  report.plan_report = &base.base_report;
  report.inputs = {input("small", pick, 0.9, 1.1), input("large", pick, 0, 2), input("odd", pick, 1.5, 1.2)};
  const std::string text = sensitivity_text(report, {100, false});
  const std::size_t large = text.find("large"), odd = text.find("odd"), small = text.find("small");
  EXPECT_LT(large, odd);  // 200 % against 50 % from where it stands
  EXPECT_LT(odd, small);
  EXPECT_NE(text.find("━━━━━━━┃━━━━━━━"), std::string::npos) << text;
  EXPECT_NE(text.find(" ┃━━━━\n"), std::string::npos) << text;  // both ends cost more
  const std::string csv = sensitivity_csv(report);
  EXPECT_TRUE(csv.starts_with("input,address,source,low,high,hours_low,")) << csv;
  EXPECT_NE(csv.find("\nlarge,a.large,job,1,3,"), std::string::npos) << csv;
}

TEST(SensitivityReport, EndsThatDoNotRunHaveNoFigures) {
  const Compared base("job=a");
  SensitivityReport report;
  report.plan_report = &base.base_report;
  report.inputs = {input("one", base.base.pick(), 0.5, 1)};
  report.inputs[0].high.runs = false;
  report.inputs[0].high.other_pick = "nothing fits";
  const std::string text = sensitivity_text(report, {120, false});
  EXPECT_NE(text.find(" to –"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing fits at the high end"), std::string::npos) << text;
}

}  // namespace
}  // namespace gpuplan
