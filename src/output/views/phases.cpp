// plan --show phases: the configuration matrix. One row a plan with hours and cost of each phase, then how each phase
// runs there: batch, steps, seconds a step.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string steps_text(double steps) { return steps > 0 ? count_text(steps) : ""; }

Cell interval_cell(double value) { return value > 0 ? Cell(value) : Cell(); }

/// One row for each plan and phase, and one for the plan: for CSV and JSON, and the details on a terminal, where `sums`
/// says whether a plan of a single phase needs a row for its sum.
Table details(const PlanReport& report, const std::vector<const Plan*>& plans, bool sums) {
  std::vector<Column> columns = {
      {.title = ""},
      {.title = "PLAN", .narrowest = 16},
      {.title = "", .key = "plan"},
      {.title = "PHASE", .narrowest = 12, .key = "phase"},
      {.title = "BATCH", .align = Align::kRight, .around = " = ", .key = "gpus_x_micro_x_accumulate"},
      {.title = "", .key = "batch"},
      {.title = "STEPS", .align = Align::kRight, .drop = 2, .key = "steps"},
      {.title = "PER STEP", .align = Align::kRight, .drop = 1},
      {.title = kRangeHead, .align = Align::kRight, .drop = 4, .around = kRangeDash},
      {.title = "", .key = "seconds_per_step_p10"},
      {.title = "", .key = "seconds_per_step"},
      {.title = "", .key = "seconds_per_step_p90"}};
  add_hours_columns(columns, 5);
  add_cost_columns(columns, 6);
  Table table(std::move(columns));
  for (const Plan* plan : plans) {
    const std::string& name = report.name(*plan);
    const Paint paint = plan == report.pick() ? Paint::kGreen : Paint::kPlain;
    const auto add = [&](const std::string& shown, const std::string& phase, const PhasePlan* part,
                         const Outcome<Seconds>& hours, const Outcome<Dollars>& cost, Paint weight) {
      const double steps = part != nullptr ? part->estimate->steps : 0;
      const Interval<Seconds> step = part != nullptr ? part->seconds_per_step : Interval<Seconds>{};
      const bool stepped = step.p50 > Seconds{};
      std::vector<Cell> row = {
          shown.empty() ? Cell() : pick_mark(report, *plan),
          {shown, paint},
          {report.name(*plan)},
          {phase, weight},
          {part != nullptr ? batch_words(part->estimate, phase_of(report, *part)) : ""},
          interval_cell(part != nullptr ? part->estimate->batch : 0),
          steps > 0 ? Cell(steps, steps_text(steps)) : Cell(),
          {stepped ? to_text(step.p50) : ""},
          {stepped && !step.exact() ? range_text(to_text(step.p10), to_text(step.p90)) : "", Paint::kDim},
          interval_cell(step.p10.value),
          interval_cell(step.p50.value),
          interval_cell(step.p90.value)};
      add_hours(row, hours, weight);
      add_share_of_cost(row, cost, weight);
      table.add(std::move(row));
    };
    for (std::size_t i = 0; i < plan->phases.size(); ++i) {
      const PhasePlan& part = plan->phases[i];
      add(i == 0 ? name : "", printable(phase_of(report, part).name, 40), &part, part.hours, part.cost, Paint::kPlain);
    }
    if (plan->idle > Dollars{}) {
      const Outcome<Dollars> idle{plan->idle, plan->idle, plan->idle, plan->idle};
      add("", "idle", nullptr, {}, idle, Paint::kDim);
    }
    if (sums) add("", "total", nullptr, plan->hours, plan->cost, Paint::kBold);
  }
  return table;
}

/// How much the matrix says of each phase: what the screen has room for.
enum class Detail { kHours, kCost, kRanges };

/// One row a plan: hours and cost of each phase, and in all.
Table matrix(const PlanReport& report, const std::vector<const Plan*>& plans, Detail detail) {
  std::vector<Column> columns = {{.title = ""}, {.title = "PLAN", .narrowest = 16}};
  const auto add_columns = [&](const std::string& name, Detail how_much) {
    const auto range = [&] {
      if (how_much == Detail::kRanges)
        columns.push_back({.title = "", .align = Align::kRight, .around = kRangeDash, .unit = kRangeHead, .gap = 1});
    };
    columns.push_back({.title = name, .align = Align::kRight, .unit = "hours"});
    range();
    if (how_much == Detail::kHours) return;
    columns.push_back({.title = "", .align = Align::kRight, .unit = "cost"});
    range();
  };
  for (const Phase& phase : report.job.phases) add_columns(printable(phase.name, 24), detail);
  const bool idle = std::ranges::any_of(plans, [](const Plan* plan) { return plan->idle > Dollars{}; });
  if (idle) columns.push_back({.title = "idle", .align = Align::kRight, .unit = "cost"});
  add_columns("total", std::max(detail, Detail::kCost));
  Table table(std::move(columns));
  for (const Plan* plan : plans) {
    std::vector<Cell> row = {pick_mark(report, *plan),
                             {report.name(*plan), plan == report.pick() ? Paint::kGreen : Paint::kPlain}};
    const auto add = [&](const Outcome<Seconds>& hours, const Outcome<Dollars>& cost, Detail how_much, Paint paint) {
      row.emplace_back(hours_text(hours.p50), paint);
      if (how_much == Detail::kRanges) row.emplace_back(outcome_text(hours), Paint::kDim);
      if (how_much == Detail::kHours) return;
      row.push_back(paid_cell(cost.p50, paint));
      if (how_much == Detail::kRanges) row.emplace_back(outcome_text(cost), Paint::kDim);
    };
    for (const PhasePlan& part : plan->phases) add(part.hours, part.cost, detail, Paint::kPlain);
    if (idle) row.push_back(paid_cell(plan->idle));
    add(plan->hours, plan->cost, std::max(detail, Detail::kCost), Paint::kBold);
    table.add(std::move(row));
  }
  return table;
}

/// The matrix with as much as the screen has room for; empty when there are too many phases for any.
std::string matrix_text(const PlanReport& report, const std::vector<const Plan*>& plans, const Screen& screen) {
  for (const Detail detail : {Detail::kRanges, Detail::kCost})
    if (const Table table = matrix(report, plans, detail); table.width() <= screen.columns)
      return table.text(screen) + '\n';
  const std::string hours = matrix(report, plans, Detail::kHours).text(screen);
  for (const std::string_view line : split(hours, '\n'))
    if (display_width(line) > screen.columns) return "";
  return hours + '\n';
}

}  // namespace

ViewContent phases_view(const PlanReport& report, const Screen& screen) {
  const auto plans = plans_shown(report);
  ViewContent view{"Hours and cost of each phase, plan by plan", details(report, plans, true), {}};
  if (report.job.phases.size() > 1) view.drawing = matrix_text(report, plans, screen);
  const Table shown = details(report, plans, report.job.phases.size() > 1 || report.job.buffer > 0);
  view.drawing += paragraph(
                      "BATCH: GPUs x micro-batch x accumulation (training), replicas x concurrent requests "
                      "(generation).",
                      screen) +
                  shown.text(screen);
  view.drawing += left_out_words(shown, screen);
  if (report.job.phases.size() > 1) {
    view.notes.emplace_back("Ranges do not add up: the total is sampled jointly.");
    if (report.job.buffer > 0)
      view.notes.push_back("The buffer of " + percent(report.job.buffer) + " is included in all hours and costs.");
  }
  for (const Phase& phase : report.job.phases)
    if (!phase.yields.empty())
      view.notes.push_back(printable(phase.name, 40) + " yields " + printable(phase.yields, 100) + ".");
  return view;
}

}  // namespace gpuplan
