// plan --show saved: what each hour saved along the frontier costs, and whether it is worth it.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// Extra dollars, hours saved, dollars an hour.
void add_step(std::vector<Cell>& row, const Plan& plan, const Plan* than) {
  if (than == nullptr) return add_nothing(row, 3);
  const Dollars more = plan.cost.p50 - than->cost.p50;
  const Seconds saved = than->done() - plan.done();
  row.push_back(small_money_cell(more));
  row.emplace_back(saved / units::hour, hours_text(saved));
  row.push_back(small_money_cell(more * (units::hour / saved)));
}

}  // namespace

ViewContent saved_view(const PlanReport& report, const Screen&) {
  const DollarsPerSecond value = report.job.value_of_time;
  const std::string worth = short_money(value * units::hour);
  std::vector<Column> columns;
  add_plan_columns(columns, 6);
  add_hours_columns(columns, 5);
  add_queue_column(columns);
  add_cost_columns(columns, 4);
  columns.push_back({.title = "EXTRA", .align = Align::kRight, .unit = "cost", .key = "extra_usd"});
  columns.push_back({.title = "SAVED", .align = Align::kRight, .unit = "hours", .key = "saved_hours"});
  columns.push_back({.title = "$/HOUR", .align = Align::kRight, .unit = "saved", .key = "usd_per_hour_saved"});
  columns.push_back(
      {.title = "EXTRA", .align = Align::kRight, .drop = 3, .unit = "to #1", .key = "extra_to_cheapest_usd"});
  columns.push_back(
      {.title = "SAVED", .align = Align::kRight, .drop = 2, .unit = "to #1", .key = "saved_to_cheapest_hours"});
  columns.push_back(
      {.title = "$/HOUR", .align = Align::kRight, .drop = 1, .unit = "to #1", .key = "usd_per_hour_saved_to_cheapest"});
  columns.push_back(
      {.title = "WORTH IT IF", .align = Align::kRight, .unit = "YOUR HOUR >", .key = "worth_it_above_usd_per_hour"});
  columns.push_back({.title = "WORTH IT", .unit = "at " + worth, .key = "worth_it"});
  ViewContent view{"What each saved hour costs: plans of the Pareto frontier, compared with the row above",
                   Table(std::move(columns)),
                   {}};

  std::vector<const Plan*> frontier;
  for (const Plan& plan : report.found.plans)
    if (plan.on_frontier) frontier.push_back(&plan);
  if (frontier.size() < 2) {
    if (!frontier.empty())
      view.notes.push_back("Nothing to save: " + report.name(*frontier.front()) +
                           " is both the cheapest and the fastest.");
    return view;
  }
  const std::vector<std::string> never = never_best(report);
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    const Plan& plan = *frontier[i];
    std::vector<Cell> row;
    add_plan(row, report, plan);
    add_hours(row, plan.hours);
    row.push_back(queue_cell(plan));
    add_cost(row, plan.cost);
    add_step(row, plan, i > 0 ? frontier[i - 1] : nullptr);
    add_step(row, plan, i > 0 ? frontier.front() : nullptr);
    if (i > 0) {
      // From here on it beats every cheaper plan, and not only its neighbour.
      DollarsPerSecond above{};
      for (std::size_t j = 0; j < i; ++j)
        above = std::max(above, (plan.cost.p50 - frontier[j]->cost.p50) / (frontier[j]->done() - plan.done()));
      row.push_back(small_money_cell(above * units::hour));
      // Not where some other plan is better at every value of an hour.
      const bool pays = value >= above && std::ranges::find(never, report.name(plan)) == never.end();
      row.emplace_back(pays ? "yes" : "no", pays ? Paint::kGreen : Paint::kPlain);
    }
    view.table.add(std::move(row));
  }
  const Plan& cheapest = *frontier.front();
  const Plan& fastest = *frontier.back();
  const Dollars more = fastest.cost.p50 - cheapest.cost.p50;
  const Seconds saved = cheapest.done() - fastest.done();
  view.notes.push_back(
      "\"Worth it if\": above this value of your hour the plan beats all cheaper ones, not only the one above it. The "
      "job says " +
      worth + " per hour (value_of_time).");
  view.notes.push_back("From cheapest to fastest: " + report.name(fastest) + " costs " + to_text(more) + " more than " +
                       report.name(cheapest) + " and saves " + hours_words(saved) + ", " +
                       short_money(more * (units::hour / saved)) + " per hour saved.");
  if (const std::string words = close_words(report); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
