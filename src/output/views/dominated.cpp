// plan --show dominated: every plan that another one beats, beside the one that beats it.
#include "base/amount.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {

ViewContent dominated_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns = {{.title = "PLAN", .narrowest = 22, .wrap = true, .key = "plan"}};
  add_hours_columns(columns, 1);
  add_cost_columns(columns, 2);
  columns.push_back({.title = "BEATEN BY", .narrowest = 22, .wrap = true, .key = "dominated_by"});
  add_hours_columns(columns, 3, "dominator_");
  add_cost_columns(columns, 4, "dominator_");
  ViewContent view{"Dominated plans: another one is at least as fast and as cheap, and better on one",
                   Table(std::move(columns)),
                   {}};
  std::size_t all = 0;
  for (const Plan& plan : report.found.plans) {
    if (plan.dominated_by.empty() || (++all > kViewRows && !report.all)) continue;  // nearest to the frontier first
    const Plan& by = report.plan(plan.dominated_by.front());
    std::vector<Cell> row = {{report.name(plan)}};
    add_hours(row, plan.hours);
    add_cost(row, plan.cost);
    row.emplace_back(report.name(by), Paint::kBold);
    add_hours(row, by.hours);
    add_cost(row, by.cost);
    view.table.add(std::move(row));
  }
  if (view.table.empty()) view.notes.emplace_back("No plan is dominated.");
  if (const std::string words = shown_rows(view.table.rows(), all, "plan"); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
