#include "output/charts/charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "output/charts/svg/svg.h"
#include "output/explain/explain.h"
#include "output/plan_fixture.h"
#include "output/text/json_writer.h"
#include "plan/billing/ledger.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

using nlohmann::json;

constexpr double kWidths[] = {kNarrowest, kPhoneWidth, kReportWidth, 1200};

std::string json_of(const Chart& chart) {
  JsonWriter writer;
  write_chart(writer, chart);
  return writer.take();
}

bool inside(const PlotAxis& axis, double value) {
  const double slack = 1e-9 * (axis.max - axis.min);
  return value >= axis.min - slack && value <= axis.max + slack;
}

void expect_good_axis(const PlotAxis& axis) {
  EXPECT_LT(axis.min, axis.max);
  if (axis.scale == PlotScale::kLog) {
    EXPECT_GT(axis.min, 0);
  }
  if (axis.scale != PlotScale::kCategory) {
    EXPECT_LE(axis.ticks.size(), kMostTicks);
  }
  EXPECT_GE(axis.ticks.size(), 1U);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    EXPECT_TRUE(inside(axis, axis.ticks[i].at)) << axis.ticks[i].text;
    EXPECT_FALSE(axis.ticks[i].text.empty());
    if (i == 0) continue;
    EXPECT_LT(axis.ticks[i - 1].at, axis.ticks[i].at);
    if (axis.scale != PlotScale::kCategory) {
      EXPECT_NE(axis.ticks[i - 1].text, axis.ticks[i].text);
    }
  }
}

void expect_marks_inside(const Chart& chart) {
  for (const ChartMark& mark : chart.marks) {
    SCOPED_TRACE(std::string(name_of(mark.shape)) + " " + mark.label + (mark.tip.empty() ? "" : " " + mark.tip[0]));
    for (const auto& value : {mark.x, mark.x0, mark.x1})
      if (value) {
        EXPECT_TRUE(inside(chart.x, *value)) << *value << " of " << chart.x.min << " to " << chart.x.max;
      }
    for (const auto& value : {mark.y, mark.y0, mark.y1})
      if (value) {
        EXPECT_TRUE(inside(chart.y, *value)) << *value << " of " << chart.y.min << " to " << chart.y.max;
      }
    if (mark.x0 && mark.x1) {
      EXPECT_LE(*mark.x0, *mark.x1);
    }
    if (mark.y0 && mark.y1) {
      EXPECT_LE(*mark.y0, *mark.y1);
    }
    for (const auto& [x, y] : mark.points) {
      EXPECT_TRUE(inside(chart.x, x)) << x;
      EXPECT_TRUE(inside(chart.y, y)) << y;
    }
  }
}

/// Elements that are closed in order, attributes in quotes, "&" only as an entity, nothing outside of the root.
std::string fault_in_xml(const std::string& text) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      static const std::set<std::string> kEntities = {"&amp;", "&lt;", "&gt;", "&quot;"};
      if (end == std::string::npos || !kEntities.contains(text.substr(at, end - at + 1))) return "entity";
      at = end + 1;
    } else if (text[at] == '<') {
      std::size_t end = at + 1;
      bool quoted = false;
      for (; end < text.size() && (quoted || text[end] != '>'); ++end) {
        if (text[end] == '"') quoted = !quoted;
        else if (text[end] == '<') return "< in a tag: " + text.substr(at, end - at);
      }
      if (end == text.size()) return "open tag";
      const std::string tag = text.substr(at + 1, end - at - 1);
      if (tag.starts_with('/')) {
        if (open.empty() || open.back() != tag.substr(1)) return "closes " + tag;
        open.pop_back();
      } else {
        if (open.empty() && ++roots > 1) return "two roots";
        if (!tag.ends_with('/')) open.push_back(tag.substr(0, tag.find_first_of(" \n")));
      }
      at = end + 1;
    } else {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c < 0x20 && c != '\n' && c != '\t') return "control character";
      if (open.empty() && c != '\n') return "text outside of the root";
      ++at;
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

void expect_good_drawing(const Chart& chart, double width) {
  SCOPED_TRACE(chart.key + " " + number_text(width));
  const Drawing drawing = draw(chart, {.width = width});
  const Box picture{0, 0, drawing.width, drawing.height};
  EXPECT_EQ(fault_in_xml(drawing.svg), "");
  for (const char* bad : {"nan", "inf\"", "<script", "href", "url(http"})
    EXPECT_FALSE(drawing.svg.contains(bad)) << bad;
  EXPECT_TRUE(drawing.svg.contains("role=\"img\""));
  EXPECT_TRUE(drawing.svg.contains("<desc"));
  EXPECT_EQ(drawing.svg, svg_of(chart, {.width = width}));
  for (std::size_t i = 0; i < drawing.texts.size(); ++i) {
    const PlacedText& text = drawing.texts[i];
    EXPECT_TRUE(text.box.within(picture))
        << text.text << ": " << text.box.x0 << " to " << text.box.x1 << ", " << text.box.y0 << " to " << text.box.y1;
    for (std::size_t k = i + 1; k < drawing.texts.size(); ++k)
      EXPECT_FALSE(text.box.meets(drawing.texts[k].box)) << text.text << " | " << drawing.texts[k].text;
  }
}

/// Whatever is drawn stands in the data, and whatever the data tells is in the picture, at a mark or in its tip.
void expect_same_texts(const Chart& chart) {
  SCOPED_TRACE(chart.key);
  std::set<std::string> told;
  const json parsed = json::parse(json_of(chart));
  const auto collect = [&](const auto& self, const json& value) -> void {
    if (value.is_string()) told.insert(value.get<std::string>());
    for (const json& part : value.is_structured() ? value : json::array()) self(self, part);
  };
  collect(collect, parsed);
  for (const ChartMark& mark : chart.marks)
    if (!mark.note.empty()) told.insert(mark.label + " (" + mark.note + ")");
  for (const double width : kWidths)
    for (const PlacedText& text : draw(chart, {.width = width}).texts) {
      const bool cut = text.text.ends_with("…");
      const std::string start = cut ? text.text.substr(0, text.text.size() - std::string("…").size()) : text.text;
      // A long name stands in two lines.
      EXPECT_TRUE(std::ranges::any_of(told, [&](const std::string& one) {
        const std::string words = ' ' + one + ' ';
        return words.contains(' ' + start + (cut ? "" : " "));
      })) << text.text;
    }
  const std::string svg = svg_of(chart);
  for (const ChartMark& mark : chart.marks)
    for (const std::string& line : mark.tip) EXPECT_TRUE(svg.contains(xml_text(line))) << line;
  EXPECT_TRUE(svg.contains(xml_text(chart.title)));
  EXPECT_TRUE(svg.contains(xml_text(chart.alt)));
}

void expect_good(const Chart& chart) {
  SCOPED_TRACE(chart.key);
  for (const std::string& text : {chart.key, chart.title, chart.finding, chart.caption, chart.alt})
    EXPECT_FALSE(text.empty());
  for (const PlotAxis* axis : {&chart.x, &chart.y}) expect_good_axis(*axis);
  expect_marks_inside(chart);
  for (const double width : kWidths) expect_good_drawing(chart, width);
  expect_same_texts(chart);
  for (const ChartTheme theme : {ChartTheme::kDark, ChartTheme::kBoth})
    EXPECT_EQ(fault_in_xml(svg_of(chart, {.theme = theme})), "");
}

/// A report of a search, with the market and a day, as the program makes it.
PlanReport report_of(const Searched& searched) {
  PlanReport report(searched.result, searched.job, known());
  report.offers = searched.market;
  report.today = "2026-11-22";
  return report;
}

SensitivityReport moved(const PlanReport& report) {
  SensitivityReport sensitivity;
  sensitivity.plan_report = &report;
  const Plan& pick = *report.pick();
  const auto end = [&](const char* value, double factor) {
    return SensitivityEnd{value, pick.hours.p50 * factor, pick.cost.p50 * factor};
  };
  sensitivity.inputs.push_back({"price of the machine", "", "market", "$3", end("$2.40/h", 0.8), end("$3.60/h", 1.2)});
  sensitivity.inputs.push_back({"tokens", "tokens", "job", "1M", end("800k", 0.7), end("1.2M", 1.4)});
  sensitivity.inputs.push_back({"both up", "x", "job", "2", end("1", 1.1), end("3", 1.3)});
  sensitivity.inputs.push_back({"breaks", "y", "job", "2", end("1", 1.1), end("3", 1.3)});
  sensitivity.inputs.back().high.runs = false;
  sensitivity.inputs.push_back({"nothing", "z", "job", "2", end("1", 1), end("3", 1)});
  return sensitivity;
}

std::vector<Chart> all_charts(const PlanReport& report) {
  std::vector<Chart> charts = charts_of(report);
  if (report.pick() == nullptr) return charts;
  const SensitivityReport sensitivity = moved(report);
  for (const Swing swing : {Swing::kCost, Swing::kHours})
    // A plan without a charge has one for its hours alone.
    if (auto chart = tornado_chart(sensitivity, swing); chart && (charts.empty() || charts.back().key != chart->key))
      charts.push_back(*std::move(chart));
  return charts;
}

TEST(Charts, OfAllExamplesAreReadable) {
  std::set<std::string> seen;
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    std::set<std::string> keys;
    for (const Chart& chart : all_charts(report_of(searched))) {
      expect_good(chart);
      EXPECT_TRUE(keys.insert(chart.key).second) << chart.key << " twice";
      seen.insert(chart.key);
    }
    EXPECT_TRUE(keys.contains("schedule"));
    EXPECT_TRUE(keys.contains("tornado-hours"));
    EXPECT_TRUE(keys.contains("fan-time"));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"cost-time", "memory", "step-time", "schedule", "fan-time", "fan-cost",
                                         "price-age", "tornado-cost", "tornado-hours"}));
}

TEST(ChartSvg, ThePickHasItsName) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const auto chart = cost_time_chart(report_of(searched));
    if (!chart) continue;
    const ChartMark& pick = chart->marks.back();
    ASSERT_EQ(pick.role, MarkRole::kPick);
    for (const double width : {kPhoneWidth, kReportWidth}) {
      const std::vector<PlacedText> texts = draw(*chart, {.width = width}).texts;
      const auto stands = [&](std::string_view words) {
        return std::ranges::any_of(texts, [&](const PlacedText& text) { return text.text == words; });
      };
      bool named = stands(pick.label);
      for (std::size_t at = 0; (at = pick.label.find(' ', at)) != std::string::npos; ++at)  // in two lines
        named = named || (stands(pick.label.substr(0, at)) && stands(pick.label.substr(at + 1)));
      EXPECT_TRUE(named) << width;
    }
  }
}

TEST(Charts, TheFrontierLineGoesThroughTheFrontierAndNothingElse) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const auto chart = cost_time_chart(report_of(searched));
    std::set<std::pair<double, double>> best;
    for (const Plan& plan : searched.result.plans)
      if (plan.on_frontier) best.emplace(plan.hours.p50 / units::hour, plan.cost.p50 / units::dollar);
    if (!chart || best.size() < 2) continue;
    const auto line = std::ranges::find_if(chart->marks, [](const ChartMark& mark) {
      return mark.shape == MarkShape::kLine && mark.role == MarkRole::kBest;
    });
    ASSERT_NE(line, chart->marks.end());
    std::set<std::pair<double, double>> met;
    for (std::size_t i = 0; i < line->points.size(); ++i) {
      const auto& point = line->points[i];
      if (best.contains(point)) {
        met.insert(point);
        continue;
      }
      ASSERT_TRUE(i > 0 && i + 1 < line->points.size());  // a corner: as dear as before, as slow as what comes next
      EXPECT_EQ(point.second, line->points[i - 1].second);
      EXPECT_EQ(point.first, line->points[i + 1].first);
    }
    EXPECT_EQ(met, best);
  }
}

TEST(Charts, PartsOfMemoryFillWhatThePlanNeeds) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const auto chart = memory_chart(report_of(searched));
    if (!chart) continue;
    const PhasePlan* part = searched.pick().fullest();
    double end = 0;
    for (const ChartMark& mark : chart->marks) {
      if (mark.shape != MarkShape::kBar || mark.y != 0.0 || mark.role == MarkRole::kReference) continue;
      EXPECT_NEAR(*mark.x0, end, 1e-9);
      end = *mark.x1;
    }
    EXPECT_NEAR(end, part->estimate->memory.total() / units::GiB, 1e-6);
    const auto limit = std::ranges::find_if(chart->marks, [](const ChartMark& mark) {
      return mark.shape == MarkShape::kRule && mark.role == MarkRole::kPick;
    });
    ASSERT_NE(limit, chart->marks.end());
    EXPECT_NEAR(*limit->x, part->estimate->node->gpu->usable / units::GiB, 1e-9);
  }
}

TEST(Charts, PartsOfAStepFillTheStep) {
  int steps = 0;
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const PlanReport report = report_of(searched);
    const auto chart = step_time_chart(report);
    if (!chart) continue;
    double end = 0, rows = 0;
    for (const ChartMark& mark : chart->marks) {
      if (mark.shape != MarkShape::kBar) continue;
      if (mark.y == 0.0) {
        EXPECT_NEAR(*mark.x0, end, 1e-9 * *mark.x1);
        end = *mark.x1;
      } else {
        rows += *mark.x1 - *mark.x0;
      }
    }
    EXPECT_NEAR(rows, end, 1e-9 * end);
    for (const PhaseTerms& phase : explain_phases(searched.pick(), searched.job, known(), known().errors)) {
      if (!phase.per_step || phase.part->estimate->evidence != Evidence::kModel) continue;
      if (std::abs(phase.total(Term::Kind::kTime) - end) > 1e-9 * end) continue;  // another phase
      EXPECT_NEAR(phase.part->seconds_per_step.p50.value, end, 1e-6 * end);
      ++steps;
    }
  }
  EXPECT_GT(steps, 2);
}

TEST(Charts, CurvesPassThroughTheRangesOfThePlan) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const PlanReport report = report_of(searched);
    const Plan& pick = searched.pick();
    for (const bool time : {true, false}) {
      const auto chart = time ? fan_time_chart(report) : fan_cost_chart(report);
      const bool spread = time ? pick.hours.p10 < pick.hours.p90 : pick.cost.p10 < pick.cost.p90;
      ASSERT_EQ(chart.has_value(), spread);
      if (!chart) continue;
      const auto line = std::ranges::find_if(chart->marks, [](const ChartMark& mark) {
        return mark.shape == MarkShape::kLine && mark.role == MarkRole::kPick;
      });
      ASSERT_NE(line, chart->marks.end());
      for (std::size_t i = 1; i < line->points.size(); ++i) {
        EXPECT_LE(line->points[i - 1].first, line->points[i].first);
        EXPECT_LT(line->points[i - 1].second, line->points[i].second);
      }
      const auto chance_at = [&](double value) {
        double chance = 0;
        for (const auto& [x, y] : line->points)
          if (x <= value) chance = y;
        return chance;
      };
      const double low = time ? pick.hours.p10 / units::hour : pick.cost.p10.value;
      const double high = time ? pick.hours.p90 / units::hour : pick.cost.p90.value;
      EXPECT_NEAR(chance_at(low), 0.1, 0.03);
      EXPECT_NEAR(chance_at(high), 0.9, 0.03);
    }
  }
}

TEST(Charts, AScheduleBillsTheGpuHoursOfThePlan) {
  for (const char* name : kExamples) {
    SCOPED_TRACE(name);
    const Searched searched(example_job(name));
    const auto chart = schedule_chart(report_of(searched));
    ASSERT_TRUE(chart);
    double rows = 0, area = 0, billed = 0;
    for (const ChartMark& mark : chart->marks) {
      if (mark.shape != MarkShape::kBar) continue;
      if (mark.y) rows = std::max(rows, *mark.y + 1);
      else area += (*mark.x1 - *mark.x0) * (*mark.y1 - *mark.y0);
    }
    EXPECT_EQ(rows, static_cast<double>(searched.pick().phases.size()));
    const StretchLedger ledger = stretch_ledger(searched.job, searched.pick());
    int most = 0;
    for (const Stretch& stretch : ledger.stretches) {
      billed += stretch.billed * (stretch.length() / units::hour);
      most = std::max(most, stretch.billed);
    }
    if (most == 0) continue;
    const auto full =
        std::ranges::max(chart->marks, {}, [](const ChartMark& mark) { return mark.y0 && mark.y1 ? *mark.y1 : -1.0; });
    ASSERT_TRUE(full.y1);
    double top = *full.y1;
    for (const ChartMark& mark : chart->marks)
      if (mark.y0) top = std::min(top, *mark.y0);
    EXPECT_NEAR(area * most / (*full.y1 - top), billed, 1e-6 * billed + 1e-9);
  }
}

TEST(Charts, OfNothingAreNotThere) {
  PlanFixture fixture;
  fixture.found.plans.clear();
  fixture.mark();
  EXPECT_TRUE(all_charts(fixture.report()).empty());
}

TEST(Charts, OfOnePlanCompareNothing) {
  PlanFixture fixture;
  fixture.found.plans.resize(1);
  fixture.mark();
  const PlanReport report = fixture.report();
  EXPECT_FALSE(cost_time_chart(report));
  EXPECT_FALSE(price_age_chart(report));  // nobody says which day it is
  const std::vector<Chart> charts = all_charts(report);
  EXPECT_FALSE(charts.empty());
  for (const Chart& chart : charts) expect_good(chart);
}

TEST(Charts, OfPlansWithoutCostAndOfEqualOnesAreReadable) {
  for (const double dollars : {0.0, 5.0}) {
    for (const double spread : {1.0, 1.2}) {
      SCOPED_TRACE(number_text(dollars) + " " + number_text(spread));
      PlanFixture fixture;
      for (Plan& plan : fixture.found.plans)
        plan.cost = {Dollars{dollars / spread}, Dollars{dollars}, Dollars{dollars * spread}, Dollars{dollars}};
      fixture.mark();
      const auto chart = cost_time_chart(fixture.report());
      ASSERT_TRUE(chart);
      EXPECT_EQ(chart->y.scale, dollars > 0 ? PlotScale::kLog : PlotScale::kLinear);
      for (const Chart& each : all_charts(fixture.report())) expect_good(each);
      for (Plan& plan : fixture.found.plans) plan.hours = fixture.found.plans.front().hours;
      fixture.mark();
      for (const Chart& each : all_charts(fixture.report())) expect_good(each);
    }
  }
}

TEST(Charts, OfThreeHundredPlansKeepTheBestAndSayHowManyThereAre) {
  PlanFixture fixture;
  const Plan like = fixture.found.plans[0];
  for (int i = 0; i < 400; ++i) {
    Plan plan = like;
    plan.id = "m" + std::to_string(i);
    plan.hours = like.hours * (1 + 0.01 * i);
    plan.cost = like.cost * (1 + 0.013 * ((i * 7) % 400));
    fixture.found.plans.push_back(plan);
  }
  fixture.mark();
  const PlanReport report = fixture.report();
  const auto chart = cost_time_chart(report);
  ASSERT_TRUE(chart);
  std::size_t points = 0, best = 0, ranges = 0;
  for (const ChartMark& mark : chart->marks) {
    if (mark.shape != MarkShape::kPoint) continue;
    ++points;
    best += mark.role == MarkRole::kBeaten ? 0 : 1;
    ranges += mark.x0.has_value() ? 1 : 0;
  }
  EXPECT_EQ(best, static_cast<std::size_t>(std::ranges::count_if(fixture.found.plans, &Plan::on_frontier)));
  EXPECT_LE(points, best + 300);
  EXPECT_GT(points, 290U);
  EXPECT_EQ(ranges, 1U);
  EXPECT_TRUE(chart->finding.contains("405 plans")) << chart->finding;
  EXPECT_TRUE(chart->caption.contains("Not drawn: ")) << chart->caption;
  expect_good(*chart);
}

TEST(Charts, HostileAndLongNamesStayText) {
  const std::string hostile = "<script>alert(1)</script>&amp;\"'\x1b[31m\xff]]>";
  const std::string wide = "大规模语言模型训练计划大规模语言模型训练计划";
  for (const std::string& name :
       {hostile, std::string(300, 'W'), std::string(300, 'i'), wide, std::string("a\nb\tc")}) {
    SCOPED_TRACE(name.substr(0, 20));
    PlanFixture fixture;
    for (Plan& plan : fixture.found.plans) plan.label = name;
    for (Phase& phase : fixture.job.phases) phase.name = name;
    for (std::size_t i = 0; i < fixture.market.size(); ++i) {
      fixture.market[i].provider = name + std::to_string(i);
      fixture.market[i].as_of = i % 2 == 0 ? "2026-05" : "2026-11-01";
    }
    fixture.mark();
    PlanReport report = fixture.report();
    report.today = "2026-11-22";
    SensitivityReport sensitivity = moved(report);
    for (SensitivityInput& input : sensitivity.inputs) input.name = input.low.value = input.high.value = name;
    std::vector<Chart> charts = charts_of(report);
    charts.push_back(tornado_chart(sensitivity).value());
    EXPECT_GE(charts.size(), 4U);
    for (const Chart& chart : charts) {
      expect_good(chart);
      EXPECT_FALSE(json_of(chart).contains('\x1b'));
    }
  }
}

TEST(Charts, ATornadoPutsTheLargestSwingOnTopAndLeavesOutWhatMovesNothing) {
  const PlanFixture fixture;
  const PlanReport report = fixture.report();
  const auto chart = tornado_chart(moved(report));
  ASSERT_TRUE(chart);
  ASSERT_EQ(chart->y.ticks.size(), 4U);
  EXPECT_EQ(chart->y.ticks[0].text, "Tokens");
  double last = 1e9;
  for (std::size_t row = 0; row < chart->y.ticks.size(); ++row) {
    double low = 1e9, high = 0;
    for (const ChartMark& mark : chart->marks)
      if (mark.y == static_cast<double>(row)) {
        low = std::min(low, *mark.x0);
        high = std::max(high, *mark.x1);
      }
    EXPECT_LE(high - low, last + 1e-9);
    last = high - low;
  }
}

TEST(Charts, TheIsoLineIsWorthAsMuchAsThePickEverywhere) {
  const PlanFixture fixture;
  const PlanReport report = fixture.report();
  const auto chart = cost_time_chart(report);
  ASSERT_TRUE(chart);
  const Plan& pick = *report.pick();
  const double total = pick.cost.p50.value + 7 * (pick.hours.p50 / units::hour);
  const auto line = std::ranges::find_if(chart->marks, [](const ChartMark& mark) {
    return mark.shape == MarkShape::kLine && mark.role == MarkRole::kReference;
  });
  ASSERT_NE(line, chart->marks.end());
  EXPECT_GT(line->points.size(), 10U);
  for (const auto& [hours, dollars] : line->points) EXPECT_NEAR(dollars + 7 * hours, total, 1e-9);
}

TEST(Charts, PricesWithoutADayHaveNoAge) {
  const Searched searched(example_job("gpt-124m"));
  PlanReport report = report_of(searched);
  ASSERT_TRUE(price_age_chart(report));
  report.today.clear();
  EXPECT_FALSE(price_age_chart(report));
}

TEST(ChartSvg, OnlyTheThemeThatFollowsTheReaderHasVariables) {
  const PlanFixture fixture;
  const Chart chart = cost_time_chart(fixture.report()).value();
  const std::string light = svg_of(chart), dark = svg_of(chart, {.theme = ChartTheme::kDark}),
                    both = svg_of(chart, {.theme = ChartTheme::kBoth});
  EXPECT_FALSE(light.contains("var("));
  EXPECT_FALSE(dark.contains("var("));
  EXPECT_NE(light, dark);
  EXPECT_TRUE(both.contains("prefers-color-scheme:dark"));
  EXPECT_FALSE(both.contains("@ink") || light.contains("@c"));
}

}  // namespace
}  // namespace gpuplan
