// When each phase runs, and under it the GPUs that are billed and those of them that are used.
#include <algorithm>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/chart_words.h"
#include "output/charts/charts.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostPhases = 24;
constexpr double kMachineRows = 2;  ///< how high the bars of GPUs are, in rows

double hours(Seconds time) { return time / units::hour; }

std::string phase_names(const PlanReport& report, const Plan& plan, const std::vector<int>& positions) {
  std::vector<std::string> names;
  for (const int position : positions)
    names.push_back(short_name(phase_of(report, plan.phases[static_cast<std::size_t>(position)]).name, 40));
  return names.empty() ? "No phase" : listed(names);
}

/// "1 of 8 GPUs".
std::string used_of(int used, int billed) {
  return std::to_string(used) + " of " + std::to_string(billed) + (billed == 1 ? " GPU" : " GPUs");
}

void add_phase(const PlanReport& report, const PhasePlan& part, double row, Chart& chart) {
  const double buffer = report.job.buffer;
  const Seconds end = end_of(part), worked = part.start + (end - part.start) / (1 + buffer);
  const bool machine = part.gpus_billed > 0;
  // Somebody works beside a machine that is paid for.
  const MarkRole role = !machine ? MarkRole::kC7 : part.gpus_used() > 0 ? MarkRole::kC1 : MarkRole::kC8;
  const std::string name = printable(phase_of(report, part).name, 200);
  const std::string use = machine ? used_of(part.gpus_used(), part.gpus_billed) + " used, " + to_text(part.cost.p50)
                                  : std::string("No GPU: nothing is billed");
  const std::vector<std::string> tip = {name, "From " + hours_label(hours(part.start)) + " to " + hours_words(end),
                                        hours_tip(part.hours), use};
  ChartMark bar{.shape = MarkShape::kBar, .role = role, .y = row, .x0 = hours(part.start), .x1 = hours(worked)};
  bar.tip = tip;
  ChartMark buffered{.shape = MarkShape::kBar, .role = MarkRole::kC2, .y = row, .x0 = bar.x1, .x1 = hours(end)};
  buffered.tip = {name + ": buffer", hours_words(end - worked)};
  ChartMark& last = worked < end ? buffered : bar;
  last.x = last.x1;
  last.label = hours_words(part.hours.p50) +
               (machine ? ", " + used_of(part.gpus_used(), part.gpus_billed) : std::string(", free"));
  chart.marks.push_back(std::move(bar));
  if (worked < end) chart.marks.push_back(std::move(buffered));
}

/// Held to the end of the plan's median, which the medians of its phases do not add up to: nobody pays for GPUs that
/// stand still there.
bool is_between_medians(const Stretch& stretch) { return stretch.used == 0 && stretch.idle <= Dollars{}; }

/// The GPUs of each stretch of time as bars that stand on the line under `floor`.
void add_machines(const PlanReport& report, const Plan& plan, const StretchLedger& ledger, int most, double floor,
                  Chart& chart) {
  const auto height = [&](int gpus) { return floor - kMachineRows * 0.75 * gpus / most; };
  for (const Stretch& stretch : ledger.stretches) {
    if (stretch.billed <= 0 || stretch.length() <= Seconds{} || is_between_medians(stretch)) continue;
    const int used = std::min(stretch.used, stretch.billed);
    const std::vector<std::string> tip = {
        phase_names(report, plan, stretch.phases),
        hours_words(stretch.length()) + ": " + used_of(used, stretch.billed) + " used",
        to_text(stretch.cost) +
            (stretch.idle > Dollars{} ? ", of it " + to_text(stretch.idle) + " for idle GPUs" : "")};
    ChartMark bar{.shape = MarkShape::kBar, .role = MarkRole::kC1, .x0 = hours(stretch.from), .x1 = hours(stretch.to)};
    bar.tip = tip;
    if (used > 0) {
      bar.y0 = height(used);
      bar.y1 = floor;
      chart.marks.push_back(bar);
    }
    if (stretch.billed > used) {
      bar.role = MarkRole::kC8;
      bar.y0 = height(stretch.billed);
      bar.y1 = height(used);
      chart.marks.push_back(std::move(bar));
    }
  }
}

}  // namespace

std::optional<Chart> schedule_chart(const PlanReport& report) {
  const Plan* pick = report.pick();
  if (pick == nullptr || pick->phases.empty()) return std::nullopt;
  const StretchLedger ledger = stretch_ledger(report.job, *pick);
  Chart chart;
  chart.kind = ChartKind::kSchedule;
  chart.key = "schedule";
  chart.title = "When does what run?";

  std::vector<const PhasePlan*> parts;
  for (const PhasePlan& part : pick->phases) parts.push_back(&part);
  sort_stably(parts, {}, [](const PhasePlan* part) { return part->start; });
  const std::size_t all = parts.size();
  if (all > kMostPhases) parts.resize(kMostPhases);

  Seconds end = pick->hours.p50;
  for (const PhasePlan* part : parts) end = std::max(end, end_of(*part));
  for (const Stretch& stretch : ledger.stretches) end = std::max(end, stretch.to);
  if (end <= Seconds{}) return std::nullopt;
  const auto& deadline = report.job.limits.deadline;
  const bool near = deadline && *deadline <= 2 * end;
  int most = 0;
  for (const Stretch& stretch : ledger.stretches) most = std::max(most, stretch.billed);

  std::vector<std::string> rows;
  for (const PhasePlan* part : parts) rows.push_back(short_name(phase_of(report, *part).name, 30));
  chart.y = row_axis(rows);
  const double edge = chart.y.max;
  if (most > 0) {
    chart.y.ticks.push_back({edge + kMachineRows / 2, most == 1 ? "1 GPU billed" : "GPUs billed: " + count_text(most)});
    chart.y.max = edge + kMachineRows;
  }
  chart.x =
      linear_axis("Time from the start", 0, hours(near ? std::max(end, *deadline) : end) * 1.02, AxisUnit::kHours);
  double row = 0;
  bool buffered = false, free = false;
  for (const PhasePlan* part : parts) {
    add_phase(report, *part, row++, chart);
    buffered = buffered || report.job.buffer > 0;
    free = free || part->gpus_billed == 0;
  }
  bool idle = false;
  if (most > 0) {
    add_machines(report, *pick, ledger, most, chart.y.max - 0.1, chart);
    for (const Stretch& stretch : ledger.stretches)
      idle = idle || (stretch.billed > stretch.used && !is_between_medians(stretch));
  }
  if (near)
    chart.marks.push_back({.shape = MarkShape::kRule,
                           .role = MarkRole::kC8,
                           .x = hours(*deadline),
                           .label = "deadline " + hours_words(*deadline),
                           .tip = {"Deadline: " + hours_words(*deadline)}});

  chart.legend.push_back({MarkRole::kC1, "GPUs in use"});
  if (buffered) chart.legend.push_back({MarkRole::kC2, "buffer, " + percent(report.job.buffer)});
  if (free) chart.legend.push_back({MarkRole::kC7, "no GPU"});
  if (idle) chart.legend.push_back({MarkRole::kC8, "paid and idle"});
  if (free && std::ranges::none_of(parts, [](const PhasePlan* part) { return part->gpus_billed > 0; }))
    chart.legend.erase(chart.legend.begin());

  const Dollars lost = ledger.idle + ledger.beyond;
  constexpr double kWorthSaying = 0.05;
  if (pick->cost.p50 > Dollars{} && lost / pick->cost.p50 >= kWorthSaying)
    chart.finding = short_money(lost) + " of the " + short_money(pick->cost.p50) + " pays for GPUs that nothing uses.";
  else if (pick->cost.p50 > Dollars{})
    chart.finding =
        "Done after " + hours_words(pick->hours.p50) + "; hardly any GPU is paid for without a phase on it.";
  else chart.finding = "Done after " + hours_words(pick->hours.p50) + ", at no charge.";
  chart.caption = "Medians. Bars show when a phase runs";
  if (most > 0) chart.caption += "; those at the bottom how many GPUs are billed, hatched where nothing uses them";
  chart.caption += ".";
  if (parts.size() < all)
    chart.caption += " Not drawn: " + count_of(static_cast<double>(all - parts.size()), "later phase") + ".";
  chart.alt = "Timeline of " + count_of(static_cast<double>(parts.size()), "phase") + " over " + hours_words(end) +
              ". " + chart.finding;
  return chart;
}

}  // namespace gpuplan
