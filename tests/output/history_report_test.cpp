#include "output/prices/history_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gpuplan {
namespace {

HistoryReport report_of(const std::vector<std::string>& days) {
  HistoryReport report{"L4", "on demand", {}};
  double median = 2;
  for (const std::string& day : days) {
    report.rows.push_back({day, median / 2, median, median * 2, 3, {"aws"}});
    median *= 0.9;
  }
  return report;
}

const Screen kScreen{.columns = 120};

TEST(HistoryReport, SaysFirstByHowMuchThePriceMoved) {
  const std::string text = history_text(report_of({"2026-09-01", "2026-10-01", "2026-11-01"}), kScreen);
  EXPECT_LT(text.find("Median $2.00 on 2026-09-01"), text.find("DATE"));
  EXPECT_NE(text.find(": -19%, -10.0% a month."), std::string::npos) << text;
}

TEST(HistoryReport, GuessesNoMonthFromFewDays) {
  for (const std::vector<std::string>& days : {std::vector<std::string>{"2026-11-15", "2026-11-16"},
                                               {"2026-11-01", "2026-11-05", "2026-11-16"},
                                               {"2026-09-01", "2026-11-16"}}) {
    const HistoryReport report = report_of(days);
    EXPECT_EQ(history_text(report, kScreen).find("a month"), std::string::npos) << days.size();
    const auto json = nlohmann::json::parse(history_json(report));
    EXPECT_TRUE(json["median_change_per_month"].is_null());
    EXPECT_LT(json["median_change"].get<double>(), 0);
  }
}

TEST(HistoryReport, ShowsTheLastOfManyDays) {
  std::vector<std::string> days;
  for (int month = 1; month <= 10; ++month)
    for (const char* day : {"-01", "-11", "-21"})
      days.push_back("2026-" + std::string(month < 10 ? "0" : "") + std::to_string(month) + day);
  const HistoryReport report = report_of(days);
  const std::string text = history_text(report, kScreen), csv = history_csv(report);
  const auto rows_with = [](const std::string& all, const std::string& day, const char* before) {
    return all.find(before + day) != std::string::npos;
  };
  for (std::size_t i = 0; i < days.size(); ++i) {
    EXPECT_EQ(rows_with(text, days[i] + "  ", "\n  "), i >= 10) << days[i];
    EXPECT_TRUE(rows_with(csv, days[i] + ",", "\n"));
  }
  EXPECT_NE(text.find("The last 20 of 30 days"), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
