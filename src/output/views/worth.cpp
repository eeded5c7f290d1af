// plan --show worth: the best plan for what an hour of waiting is worth.
#include <algorithm>
#include <limits>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// $0, then 1, 2 and 5 times powers of ten up to one that is above every change of plan and the job's own value; the
/// job's own value, and the start of each range that would be skipped.
std::vector<double> values_of_an_hour(const PlanReport& report) {
  const auto& ranges = report.found.values;
  const double own = (report.job.value_of_time * units::hour).value;
  if (ranges.size() == 1) return own > 0 ? std::vector<double>{0, own} : std::vector<double>{0};
  double last = own;
  for (const ValueRange& range : ranges) last = std::max(last, (range.from * units::hour).value);
  std::vector<double> values = {0};
  double power = 1;
  while (values.back() <= last && power < 1e9) {
    for (const double step : {1.0, 2.0, 5.0})
      if (values.back() <= last) values.push_back(step * power);
    power *= 10;
  }
  values.push_back(own);
  std::ranges::sort(values);
  for (const ValueRange& range : ranges) {
    const double from = (range.from * units::hour).value;
    const double to = range.to ? (*range.to * units::hour).value : std::numeric_limits<double>::infinity();
    if (std::ranges::none_of(values, [&](double value) { return value >= from && value < to; })) values.push_back(from);
  }
  std::ranges::sort(values);
  const auto [first, end] = std::ranges::unique(values);
  values.erase(first, end);
  return values;
}

}  // namespace

ViewContent worth_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns = {
      {.title = "YOUR HOUR", .align = Align::kRight, .unit = "is worth", .key = "value_of_an_hour_usd"}};
  add_plan_columns(columns, 2);
  add_hours_columns(columns, 4);
  add_queue_column(columns);
  add_cost_columns(columns, 3);
  columns.push_back({.title = "TOTAL", .align = Align::kRight, .unit = "cost + hours", .key = "cost_and_hours_usd"});
  columns.push_back({.title = "BEST IF YOUR HOUR IS WORTH", .drop = 1});
  columns.push_back({.title = "", .key = "best_from_usd"});
  columns.push_back({.title = "", .key = "best_to_usd"});
  ViewContent view{"Best plan by the value of your time (cost + hours x value)", Table(std::move(columns)), {}};
  const auto& ranges = report.found.values;
  const Dollars own = report.job.value_of_time * units::hour;
  for (const double value : values_of_an_hour(report)) {
    const DollarsPerSecond an_hour = value * units::dollar / units::hour;
    const ValueRange* best = nullptr;
    for (const ValueRange& range : ranges)
      if (an_hour >= range.from) best = &range;
    if (best == nullptr) continue;
    const bool ours = value == own.value;
    const Plan& least = report.plan(best->plan);
    // Of plans that can not be told apart the one that asks least is recommended, here as everywhere.
    const Plan* pick = report.pick();
    const bool settled = ours && report.job.goal == Goal::kBestValue && pick != nullptr && pick != &least &&
                         !report.found.recommendations.limits_missed;
    const Plan& plan = settled ? *pick : least;
    std::vector<Cell> row;
    row.emplace_back(value, value == 0 ? "$0" : short_money(Dollars{value}), ours ? Paint::kBold : Paint::kPlain);
    add_plan(row, report, plan);
    add_hours(row, plan.hours);
    row.push_back(queue_cell(plan));
    add_cost(row, plan.cost);
    row.push_back(money_cell(total_at(plan, an_hour)));
    const std::string from = short_money(best->from * units::hour);
    if (settled) {
      row.emplace_back("about as good as " + report.name(least));
      row.resize(row.size() + 2);
      view.table.add(std::move(row));
      continue;
    }
    row.emplace_back(!best->to                         ? (best->from > DollarsPerSecond{} ? "over " + from : "anything")
                     : best->from > DollarsPerSecond{} ? range_text(from, short_money(*best->to * units::hour))
                                                       : "under " + short_money(*best->to * units::hour));
    row.emplace_back((best->from * units::hour).value);
    row.push_back(best->to ? Cell((*best->to * units::hour).value) : Cell());
    view.table.add(std::move(row));
  }
  if (ranges.size() == 1)
    view.notes.push_back(report.name(report.plan(ranges.front().plan)) +
                         (limits_matter(report)
                              ? " is the cheapest and the fastest of those that keep the limits: it is "
                                "always the best of them."
                              : " is both the cheapest and the fastest: it is always the best."));
  view.notes.push_back((report.job.value_of_time_given ? "This job says " : "Default (value_of_time): ") +
                       short_money(own) + " per hour.");
  if (const auto never = never_best(report); !never.empty())
    view.notes.push_back("Never the best: " + listed(never) + ".");
  const bool excluded = std::ranges::any_of(ranges, [&](const ValueRange& range) {
    const Plan& plan = report.plan(range.plan);
    return !plan.keeps_limits();
  });
  if (excluded) view.notes.emplace_back("Ignores deadline and budget.");
  return view;
}

}  // namespace gpuplan
