// plan --show gpu-hours: what each phase uses and what is paid for; parts add up to totals.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

Cell gpu_hours(double amount, Paint paint = Paint::kPlain) {
  return {amount, amount > 0 ? rate_text(amount) : "–", amount > 0 ? paint : Paint::kDim};
}

void add_line(const std::string& plan, const std::string& name, const std::string& task, std::optional<Seconds> hours,
              const LedgerLine& line, Paint paint, Table& table) {
  std::vector<Cell> cells = {{plan}, {name, paint}, {task, Paint::kDim}, {}, {}};
  cells.push_back(hours ? Cell(*hours / units::hour, hours_text(*hours), paint) : Cell());
  cells.push_back(gpu_hours(line.used, paint));
  cells.push_back(gpu_hours(line.billed, paint));
  cells.push_back(paid_cell(line.cost, paint));
  table.add(std::move(cells));
}

/// What is paid for and no phase's.
void add_rest(const Plan& plan, const std::string& name, const Ledger& ledger, Table& table) {
  const auto spells = spells_of(plan);
  const bool gaps = plan.kept && std::ranges::any_of(spells, [](const Spell& spell) { return spell.phases.empty(); });
  const bool steps = plan.offer != nullptr && plan.offer->billing.increment > units::minute;
  const std::string why =
      gaps ? std::string("held while no phase uses it") + (steps ? ", and rounded up by billing" : "")
      : plan.offer != nullptr ? "billed " + billing_words(plan.offer->billing)
                              : "billed in whole steps";
  add_line(name, gaps ? "idle" : "billing", why, std::nullopt, ledger.idle, Paint::kPlain, table);
}

void add_plan(const PlanReport& report, const Plan& plan, ViewContent& view, bool named) {
  const Ledger ledger = ledger_of(report.job, plan);
  const std::string& name = report.name(plan);
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    const Phase& phase = phase_of(report, part);
    const LedgerLine& line = ledger.phases[i];
    view.table.add({{name, i == 0 ? Paint::kBold : Paint::kDim},
                    {printable(phase.name, 40)},
                    {phase_words(phase), Paint::kDim},
                    {static_cast<double>(part.gpus_used()), std::to_string(part.gpus_used())},
                    {static_cast<double>(part.gpus_billed), std::to_string(part.gpus_billed)},
                    {part.hours.p50 / units::hour, hours_text(part.hours.p50)},
                    gpu_hours(line.used),
                    gpu_hours(line.billed),
                    paid_cell(line.cost)});
  }
  if (ledger.idle.billed > 0) {
    add_line(name, "subtotal", "", std::nullopt, ledger.subtotal, Paint::kPlain, view.table);
    add_rest(plan, name, ledger, view.table);
  }
  add_line(name, "total", "", plan.hours.p50, ledger.total, Paint::kBold, view.table);
  if (report.job.buffer > 0) {
    const LedgerLine& buffer = ledger.buffer;
    const LedgerLine without{ledger.total.used - buffer.used, ledger.total.billed - buffer.billed,
                             ledger.total.cost - buffer.cost};
    add_line(name, "buffer, " + percent(report.job.buffer), "included above", plan.buffer, buffer, Paint::kDim,
             view.table);
    add_line(name, "without buffer", "", plan.hours.p50 - plan.buffer, without, Paint::kDim, view.table);
  }

  std::string words = named ? name + ": " : "";
  words += with_range(plan.hours) + " h and " + with_range(plan.cost) + " total. ";
  if (ledger.total.billed > 0) {
    words += "Used " + rate_text(ledger.total.used) + " of " + rate_text(ledger.total.billed) + " GPU-hours " +
             std::string(paid_word(plan)) + " (" + percent(ledger.utilisation()) + ")";
    if (plan.cost.p50 > Dollars{} && ledger.total.used > 0) {
      constexpr double kAll = 0.98;  // used so far, one price says both
      words += ": " + to_text(plan.machines_cost() / ledger.total.used) + " per GPU-hour used";
      if (ledger.utilisation() < kAll)
        words += ", " + to_text(plan.machines_cost() / ledger.total.billed) + " per GPU-hour billed";
      if (const auto beside = beside_machines_words(plan); !beside.empty()) words += "; " + join(beside, "; ");
    }
    words += "." + repeated_words(plan);
  }
  if (ledger.machine_hours > 0)
    words += " Billed as whole machines: " + rate_text(ledger.machine_hours) + " machine-hours" +
             (plan.offer != nullptr ? " of " + count_of(plan.offer->gpus, "GPU") : std::string()) + ".";
  view.notes.push_back(words);
  double by_phase = 0;
  for (const PhasePlan& part : plan.phases) by_phase += part.hours.p50 / units::hour * part.gpus_used();
  if (const double share = by_phase > 0 ? ledger.total.used / by_phase : 1; share > 1.005 || share < 0.995)
    view.notes.push_back("GPU-hours used are counted in the hours that are billed: " + significant_text(share, 3) +
                         " of GPUs x hours of " + (named ? name : std::string("the phases")) +
                         ", whose medians do not add up to the median of their sum" +
                         (plan.interruptions > 0 ? ", and nothing is billed while machines are away." : "."));
}

}  // namespace

ViewContent gpu_hours_view(const PlanReport& report, const Screen&) {
  const auto plans = report.all ? plans_shown(report) : std::vector<const Plan*>{report.pick()};
  ViewContent view{"GPU-hours by phase, used and paid for", Table({}), {}};
  const bool named = plans.size() > 1;
  if (!named && plans.front() != nullptr) view.title += ": " + report.name(*plans.front());
  view.table = Table({{.title = named ? "PLAN" : "", .narrowest = 14, .key = "plan"},
                      {.title = "PHASE", .narrowest = 12, .key = "phase"},
                      {.title = "TASK", .drop = 3, .narrowest = 20, .key = "task"},
                      {.title = "GPUS", .align = Align::kRight, .unit = "used", .key = "gpus_used"},
                      {.title = "GPUS", .align = Align::kRight, .drop = 2, .unit = "billed", .key = "gpus_billed"},
                      {.title = "HOURS", .align = Align::kRight, .drop = 1, .key = "hours"},
                      {.title = "GPU-HOURS", .align = Align::kRight, .unit = "used", .key = "gpu_hours_used"},
                      {.title = "GPU-HOURS", .align = Align::kRight, .unit = "billed", .key = "gpu_hours_billed"},
                      {.title = "COST", .align = Align::kRight, .key = "cost_usd"}});
  for (const Plan* plan : plans)
    if (plan != nullptr && (!report.all || plan->on_frontier || plan == report.pick()))
      add_plan(report, *plan, view, named);
  return view;
}

}  // namespace gpuplan
