// plan --show chart: every plan by hours and dollars, to scale.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/chart.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

constexpr const char* kDominated = "·";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kSmallLetters = "abcdefghijkl";  // with more of them the legend would outgrow the chart

/// Letters along the frontier, ✔ for the pick; small letters for the others while they are few, else dots.
std::vector<std::string> marks_of(const PlanReport& report) {
  std::size_t others = 0;
  for (const Plan& plan : report.found.plans) others += plan.on_frontier || &plan == report.pick() ? 0 : 1;
  std::vector<std::string> marks;
  std::size_t letter = 0, small = 0;
  for (const Plan& plan : report.found.plans) {
    if (&plan == report.pick()) marks.emplace_back(pick_sign(report));
    else if (plan.on_frontier) marks.emplace_back(letter < kLetters.size() ? kLetters.substr(letter++, 1) : "o");
    else marks.emplace_back(others <= kSmallLetters.size() ? kSmallLetters.substr(small++, 1) : kDominated);
  }
  return marks;
}

std::vector<Column> point_columns() {
  std::vector<Column> columns = {{.title = "", .gap = 0}};
  columns.push_back({.title = "PLAN", .narrowest = 20, .key = "plan"});
  columns.push_back({.title = "", .key = "id"});
  add_hours_columns(columns, 2);
  add_cost_columns(columns, 1);
  columns.push_back({.title = "", .key = "kind"});
  return columns;
}

}  // namespace

ViewContent chart_view(const PlanReport& report, const Screen& screen) {
  ViewContent view{"Cost against time, every plan to scale", Table(point_columns()), {}};
  Table legend(point_columns());
  const std::vector<std::string> marks = marks_of(report);
  std::vector<ChartPoint> points;
  std::size_t dominated = 0, out = 0;
  for (std::size_t i = 0; i < report.found.plans.size(); ++i) {
    const Plan& plan = report.found.plans[i];
    const bool picked = &plan == report.pick();
    const bool named = marks[i] != kDominated;
    const Paint paint = picked ? Paint::kGreen : plan.on_frontier ? Paint::kPlain : Paint::kDim;
    std::vector<Cell> row = {{marks[i], paint}, {report.names[i], paint}};
    row.emplace_back(plan.id);
    add_hours(row, plan.hours);
    add_cost(row, plan.cost);
    row.emplace_back(picked                      ? "pick"
                     : plan.on_frontier          ? "frontier"
                     : plan.dominated_by.empty() ? "tight"
                                                 : "dominated");
    if (named) legend.add(row);
    if (!picked && !plan.on_frontier) ++(plan.dominated_by.empty() ? out : dominated);
    view.table.add(std::move(row));

    ChartPoint point;
    point.x = plan.hours.p50 / units::hour;
    point.y = plan.cost.p50 / units::dollar;
    point.mark = marks[i];
    point.rank = picked ? 2 : plan.on_frontier ? 1 : 0;
    point.keep = named;
    point.paint = picked ? Paint::kGreen : plan.on_frontier ? Paint::kBold : Paint::kDim;
    if (picked) {
      point.x_range = {plan.hours.p10 / units::hour, plan.hours.p90 / units::hour};
      if (plan.cost.p90 > Dollars{}) point.y_range = {plan.cost.p10 / units::dollar, plan.cost.p90 / units::dollar};
    }
    points.push_back(std::move(point));
  }
  // Twenty-four lines in all, as long as the chart itself has room; few where all plans cost the same.
  const bool flat = std::ranges::all_of(points, [&](const ChartPoint& point) { return point.y == points.front().y; }) &&
                    std::ranges::none_of(points, [](const ChartPoint& point) { return point.y_range.has_value(); });
  const int rows = flat ? 5 : std::clamp(24 - 8 - static_cast<int>(legend.rows()), 10, 15);
  view.drawing =
      scatter_text(points, {"HOURS", hours_label}, {"COST", money_label}, rows, screen) + legend.text(screen);
  std::string key = "Capitals: Pareto frontier, cheapest first; " + std::string(pick_sign(report)) +
                    " recommended, with its 80% range";
  const std::string others = dominated + out <= kSmallLetters.size() ? "small letters:" : kDominated;
  if (dominated > 0) key += "; " + others + " " + count_of(static_cast<double>(dominated), "dominated plan");
  if (out > 0)
    key += (dominated > 0 ? " and " : "; " + others + " ") + count_of(static_cast<double>(out), "plan") +
           " that may run out of memory";
  view.notes.push_back(key + ".");
  return view;
}

}  // namespace gpuplan
