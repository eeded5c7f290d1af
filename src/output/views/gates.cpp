// plan --show gates: what is spent when the job stops at a gate, and what it costs in expectation.
#include "plan/billing/gates.h"
#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string phase_name(const PlanReport& report, const Plan& plan, int position) {
  return printable(phase_of(report, plan.phases[static_cast<std::size_t>(position)]).name, 40);
}

void add_mean(std::vector<Cell>& row, Seconds mean, Paint paint = Paint::kPlain) {
  row.emplace_back(mean / units::hour, hours_text(mean), paint);
}

void add_end(const PlanReport& report, const Plan& plan, const EarlyEnd& end, std::vector<Cell> row, Table& table) {
  row.emplace_back("stops at " + phase_name(report, plan, end.phase));
  row.emplace_back(end.chance, percent(end.chance));
  add_hours(row, end.hours);
  add_mean(row, end.hours.mean);
  add_share_of_cost(row, end.cost);
  row.push_back(paid_cell(end.cost.mean));
  std::vector<std::string> names;
  for (const int position : end.not_run) names.push_back(phase_name(report, plan, position));
  row.emplace_back(join(names, ", "), Paint::kDim);
  table.add(std::move(row));
}

std::vector<Cell> named(const PlanReport& report, const Plan& plan) {
  std::vector<Cell> row;
  add_plan(row, report, plan);
  return row;
}

void add_plan_rows(const PlanReport& report, const Plan& plan, Table& table) {
  const auto gates = gates_of(report.job, plan);
  if (!gates) return;
  for (const EarlyEnd& end : gates->ends)
    if (!end.not_run.empty()) add_end(report, plan, end, named(report, plan), table);
  std::vector<Cell> row = named(report, plan);
  row.emplace_back("passes");
  row.emplace_back(gates->chance, percent(gates->chance));
  add_hours(row, plan.hours);
  add_mean(row, plan.hours.mean);
  add_share_of_cost(row, plan.cost);
  row.push_back(paid_cell(plan.cost.mean));
  table.add(std::move(row));
  row = named(report, plan);
  row.emplace_back("average", Paint::kBold);
  row.emplace_back();
  add_nothing(row);
  add_mean(row, gates->expected_hours, Paint::kBold);
  add_nothing(row);
  row.push_back(paid_cell(gates->expected_cost, Paint::kBold));
  table.add(std::move(row));
}

/// The plan that costs least in expectation, where another one costs least when everything passes.
std::string other_cheapest(const PlanReport& report) {
  const Plan* by_median = nullptr;
  const Plan* expected = nullptr;
  Dollars least{};
  for (const Plan& plan : report.found.plans) {
    if (plan.fit != Fit::kFits) continue;
    const auto gates = gates_of(report.job, plan);
    if (!gates) return "";
    if (by_median == nullptr || plan.cost.p50 < by_median->cost.p50) by_median = &plan;
    if (expected == nullptr || gates->expected_cost < least) {
      expected = &plan;
      least = gates->expected_cost;
    }
  }
  if (expected == nullptr || expected == by_median) return "";
  return "Cheapest on average: " + report.name(*expected) + ", " + to_text(least) +
         "; if every gate passes: " + report.name(*by_median) + ".";
}

}  // namespace

ViewContent gates_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns;
  add_plan_columns(columns, 3);
  columns.push_back({.title = "THE JOB", .narrowest = 20, .wrap = true, .key = "end"});
  columns.push_back({.title = "CHANCE", .align = Align::kRight, .key = "chance"});
  add_hours_columns(columns, 2);
  columns.push_back({.title = "MEAN", .align = Align::kRight, .key = "mean_hours"});
  add_cost_columns(columns, 1);
  columns.push_back({.title = "MEAN", .align = Align::kRight, .key = "mean_cost_usd"});
  columns.push_back({.title = "SKIPPED", .drop = 4, .narrowest = 16, .wrap = true, .key = "not_run"});
  ViewContent view{"Cost if a gate fails", Table(std::move(columns)), {}};
  for (const Plan* plan : plans_shown(report)) add_plan_rows(report, *plan, view.table);
  if (view.table.empty()) {
    view.notes.emplace_back("No gates: no phase has a chance_to_pass.");
    return view;
  }
  view.notes.emplace_back(
      "Gates are independent and checked when a phase ends; phases that do not depend on it still run.");
  view.notes.emplace_back(
      "\"average\" weighs the means of the rows above it by their chances; HOURS and COST are medians, which are lower "
      "where little can go faster and much slower.");
  if (const std::string words = other_cheapest(report); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
