// plan --show ledger: the bill of the pick stretch by stretch: what runs, which GPUs are used of those billed, what
// each stretch costs and how much of that is for GPUs that idle.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

/// "8x A100 SXM 40GB spot" of each lease; empty when the whole plan is on one offer.
std::string machines_words(const Plan& plan, const StretchLedger& ledger, const Stretch& line) {
  if (plan.offer != nullptr) return "";
  std::vector<std::string> names;
  for (const int position : line.leases) {
    const Lease& lease = ledger.leases[static_cast<std::size_t>(position)];
    const std::string place = place_words(*lease.offer);
    names.push_back(std::to_string(lease.gpus) + "x " + lease.offer->gpu + (lease.spot ? " spot" : "") +
                    (place.empty() ? "" : " (" + place + ")"));
  }
  return join(names, ", ");
}

/// Its machines start, and no phase of theirs has begun.
bool is_boot(const Plan& plan, const StretchLedger& ledger, const Stretch& line) {
  return !line.leases.empty() && std::ranges::all_of(line.leases, [&](int position) {
    const Lease& lease = ledger.leases[static_cast<std::size_t>(position)];
    return lease.offer->billing.startup > Seconds{} && std::ranges::all_of(lease.phases, [&](int phase) {
             return plan.phases[static_cast<std::size_t>(phase)].start + units::second >= line.to;
           });
  });
}

std::string runs_words(const PlanReport& report, const Plan& plan, const StretchLedger& ledger, const Stretch& line) {
  std::vector<std::string> names;
  for (const int position : line.phases)
    names.push_back(printable(phase_of(report, plan.phases[static_cast<std::size_t>(position)]).name, 40));
  if (!names.empty()) return join(names, ", ");
  if (line.leases.empty()) return "(nothing)";
  return is_boot(plan, ledger, line) ? "(boot)" : "(idle)";
}

/// Medians of phases do not add up to the median of their sum: what of it is left at the end is nobody's time.
bool only_rounds(const Plan& plan, const Stretch& line) {
  constexpr double kShort = 0.03;
  if (!line.phases.empty() || line.cost >= Dollars{0.005}) return false;
  const bool last = line.to + units::second >= plan.hours.p50 && !line.leases.empty() && plan.cost.p50 > Dollars{};
  return last || line.length() < kShort * plan.hours.p50;
}

void add_stretch(const PlanReport& report, const Plan& plan, const StretchLedger& ledger, const Stretch& line,
                 Dollars so_far, Table& table) {
  const bool held = !line.leases.empty();
  table.add({{line.from / units::hour, hours_text(line.from)},
             {line.to / units::hour, hours_text(line.to)},
             {line.length() / units::hour, hours_text(line.length()), Paint::kDim},
             {runs_words(report, plan, ledger, line), line.phases.empty() ? Paint::kYellow : Paint::kPlain},
             {machines_words(plan, ledger, line), Paint::kDim},
             {held ? std::to_string(line.used) + " of " + std::to_string(line.billed) : "–"},
             Cell(static_cast<double>(line.used)),
             Cell(static_cast<double>(line.billed)),
             paid_cell(line.cost),
             paid_cell(line.idle, Paint::kYellow),
             paid_cell(so_far, Paint::kDim)});
}

std::string use_words(const Plan& plan, const StretchLedger& ledger) {
  const bool held = paid_word(plan) == "held";
  if (plan.billed_gpu_hours <= 0) return held ? "No GPU is used." : "No GPU is paid for.";
  std::string text = "Used " + rate_text(plan.gpu_hours) + " of " + rate_text(plan.billed_gpu_hours) +
                     (held ? " GPU-hours held (" : " GPU-hours billed (") +
                     percent(plan.gpu_hours / plan.billed_gpu_hours) + ")";
  if (plan.cost.p50 > Dollars{} && plan.gpu_hours > 0) {
    text += ": " + to_text(plan.machines_cost() / plan.gpu_hours) + " per GPU-hour used";
    const Dollars lost = ledger.idle + std::max(ledger.beyond, Dollars{});
    if (lost >= Dollars{0.01}) text += "; " + to_text(lost) + " pays for idle GPUs";
  }
  return text + "." + repeated_words(plan);
}

/// What to reckon with, in one line: money, time, work.
std::string card_words(const PlanReport& report, const Plan& plan) {
  std::string text = "Plan for " + to_text(plan.cost.p50 + report.job.contingency);
  if (report.job.contingency > Dollars{}) text += ", " + short_money(report.job.contingency) + " contingency included";
  text += " (P90 " + to_text(plan.cost.p90 + report.job.contingency) + "), " + hours_words(plan.hours.p50) + " (P90 " +
          hours_words(plan.hours.p90) + "), " + rate_text(plan.gpu_hours) + " GPU-hours of work";
  if (plan.spot) text += ", " + chance_words(plan.chance_of_interruption()) + " chance of an interruption";
  return text + ".";
}

}  // namespace

ViewContent ledger_view(const PlanReport& report, const Screen&) {
  const Plan* pick = report.pick();
  if (pick == nullptr) return {"The bill by period", Table({}), {"There is no plan."}};
  const StretchLedger ledger = stretch_ledger(report.job, *pick);
  ViewContent view{"The bill by period (medians): " + report.name(*pick) +
                       (report.job.buffer > 0 ? ", with a buffer of " + percent(report.job.buffer) : std::string()),
                   Table({{.title = "FROM", .align = Align::kRight, .unit = "hour", .key = "from_hour"},
                          {.title = "TO", .align = Align::kRight, .unit = "hour", .key = "to_hour"},
                          {.title = "HOURS", .align = Align::kRight, .drop = 3, .key = "hours"},
                          {.title = "RUNS", .narrowest = 16, .wrap = true, .key = "runs"},
                          {.title = "MACHINES", .drop = 4, .narrowest = 14, .wrap = true, .key = "machines"},
                          {.title = "GPUS", .align = Align::kRight, .around = " of ", .unit = "used"},
                          {.title = "", .key = "gpus_used"},
                          {.title = "", .key = "gpus_billed"},
                          {.title = "COST", .align = Align::kRight, .key = "cost_usd"},
                          {.title = "IDLE", .align = Align::kRight, .unit = "cost", .key = "idle_usd"},
                          {.title = "RUNNING TOTAL", .align = Align::kRight, .drop = 2, .key = "so_far_usd"}}),
                   {}};
  Dollars so_far{};
  for (const Stretch& line : ledger.stretches) {
    so_far += line.cost;
    if (only_rounds(*pick, line)) continue;
    add_stretch(report, *pick, ledger, line, so_far, view.table);
  }
  if (ledger.beyond > Dollars{})
    view.table.add({{},
                    {},
                    {},
                    {"unused end of the last billing period", Paint::kYellow},
                    {},
                    {},
                    {},
                    {},
                    paid_cell(ledger.beyond),
                    paid_cell(ledger.beyond, Paint::kYellow),
                    paid_cell(pick->cost.p50, Paint::kDim)});
  view.notes.push_back("Total " + with_range(pick->hours) + " h and " + with_range(pick->cost) + ". " +
                       (rents(*pick) ? count_of(static_cast<double>(ledger.leases.size()), "rental") + ", machines"
                                     : std::string("Machines are")) +
                       " held for " + hours_words(ledger.held) + ".");
  if (std::string words = beside_others_words(*pick); !words.empty()) view.notes.push_back(std::move(words));
  view.notes.push_back(use_words(*pick, ledger));
  view.notes.push_back(card_words(report, *pick));
  return view;
}

}  // namespace gpuplan
