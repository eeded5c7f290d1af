// plan --show schedule: when each phase of the pick runs, on how many GPUs, and what the time between them costs.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

constexpr int kBarWidth = 24;

struct ScheduleRow {
  Seconds from{}, to{};
  std::vector<Cell> cells;
};

/// "░░░████░░░": which part of the whole time it takes; at least one block.
std::string bar(Seconds from, Seconds to, Seconds end) {
  if (end <= Seconds{}) return "";
  const auto place = [&](Seconds time) {
    return std::clamp(static_cast<int>(std::lround(time / end * kBarWidth)), 0, kBarWidth);
  };
  const int first = std::min(place(from), kBarWidth - 1);
  const int last = std::max(place(to), first + 1);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i >= first && i < last ? "█" : "·";
  return text;
}

class PhaseTimes {
 public:
  PhaseTimes(const PlanReport& report, const Plan& plan) : report_(report), plan_(plan), spells_(spells_of(plan)) {
    for (const PhasePlan& part : plan.phases) end_ = std::max(end_, end_of(part));
  }

  Table table() const {
    std::vector<ScheduleRow> rows;
    for (std::size_t i = 0; i < plan_.phases.size(); ++i) rows.push_back(phase_row(i));
    const Seconds gaps = idle();
    for (const Spell& spell : spells_)
      if (spell.phases.empty()) rows.push_back(gap_row(spell, gaps));
    // What is billed beyond the phases where no gap of theirs stands for it.
    if (plan_.idle > Dollars{} && (gaps <= Seconds{} || !plan_.kept)) rows.push_back(rest_row());
    sort_stably(rows, {}, [](const ScheduleRow& row) { return row.from; });
    Table table({{.title = "PHASE", .narrowest = 16, .key = "phase"},
                 {.title = "START", .align = Align::kRight, .unit = "hour", .key = "start_hour"},
                 {.title = "END", .align = Align::kRight, .unit = "hour", .key = "end_hour"},
                 {.title = range_text("0", hours_text(end_)) + " h", .drop = 2},
                 {.title = "GPUS", .align = Align::kRight, .around = " of ", .unit = "used"},
                 {.title = "", .key = "gpus_used"},
                 {.title = "", .key = "gpus_billed"},
                 {.title = "IDLE", .align = Align::kRight, .unit = "GPUs", .key = "gpus_idle"},
                 {.title = "COST", .align = Align::kRight, .key = "cost_usd"},
                 {.title = "SHARE", .align = Align::kRight, .drop = 1, .key = "cost_share"}});
    for (ScheduleRow& row : rows) table.add(std::move(row.cells));
    return table;
  }

  Seconds idle() const {
    Seconds sum{};
    for (const Spell& spell : spells_)
      if (spell.phases.empty()) sum += spell.length();
    return sum;
  }

 private:
  void add_cost(Dollars cost, std::vector<Cell>& cells) const {
    cells.emplace_back(cost.value, cost > Dollars{} ? to_text(cost) : "–");
    const double share = plan_.cost.p50 > Dollars{} ? cost / plan_.cost.p50 : 0;
    cells.emplace_back(share, share > 0 ? percent(share) : "–", Paint::kDim);
  }

  /// GPUs paid for that nothing uses while the phase runs: the mean over its time.
  double idle_beside(std::size_t phase) const {
    const PhasePlan& part = plan_.phases[phase];
    if (plan_.offer == nullptr) return part.gpus_billed - part.gpus_used();  // a machine of its own
    double gpu_seconds = 0;
    double seconds = 0;
    for (const Spell& spell : spells_) {
      if (std::ranges::find(spell.phases, static_cast<int>(phase)) == spell.phases.end()) continue;
      gpu_seconds += std::max(0, plan_.phases[phase].gpus_billed - spell.gpus) * spell.length().value;
      seconds += spell.length().value;
    }
    return seconds > 0 ? gpu_seconds / seconds : 0;
  }

  ScheduleRow phase_row(std::size_t i) const {
    const PhasePlan& part = plan_.phases[i];
    ScheduleRow row{part.start, end_of(part), {}};
    const bool machine = part.offer != nullptr;
    const double idle = machine ? idle_beside(i) : 0;
    row.cells = {{printable(phase_of(report_, part).name, 40)},
                 {row.from / units::hour, hours_text(row.from)},
                 {row.to / units::hour, hours_text(row.to)},
                 {bar(row.from, row.to, end_), machine ? Paint::kCyan : Paint::kDim},
                 {machine ? std::to_string(part.gpus_used()) + " of " + std::to_string(part.gpus_billed) : "–"},
                 Cell(static_cast<double>(part.gpus_used())),
                 Cell(static_cast<double>(part.gpus_billed)),
                 {idle, machine ? significant_text(idle, 2) : "–"}};
    add_cost(part.cost.p50, row.cells);
    return row;
  }

  ScheduleRow gap_row(const Spell& spell, Seconds gaps) const {
    ScheduleRow row{spell.from, spell.to, {}};
    const int held = plan_.kept ? plan_.gpus : 0;
    row.cells = {{plan_.kept ? "(idle)" : "(released)", Paint::kYellow},
                 {row.from / units::hour, hours_text(row.from)},
                 {row.to / units::hour, hours_text(row.to)},
                 {bar(row.from, row.to, end_), Paint::kDim},
                 {plan_.kept ? "0 of " + std::to_string(held) : "–"},
                 Cell(0.0),
                 Cell(static_cast<double>(held)),
                 {static_cast<double>(held), held > 0 ? std::to_string(held) : "–"}};
    add_cost(plan_.kept && gaps > Seconds{} ? plan_.idle * (spell.length() / gaps) : Dollars{}, row.cells);
    return row;
  }

  ScheduleRow rest_row() const {
    ScheduleRow row{end_, end_, {}};
    row.cells = {{"(held, not used)", Paint::kYellow}, {}, {}, {}, {kNoValue}, {}, {}, {0.0, kNoValue}};
    add_cost(plan_.idle, row.cells);
    return row;
  }

  const PlanReport& report_;
  const Plan& plan_;
  std::vector<Spell> spells_;
  Seconds end_{};
};

}  // namespace

ViewContent schedule_view(const PlanReport& report, const Screen&) {
  const Plan* pick = report.pick();
  if (pick == nullptr) return {"When each phase runs", Table({}), {"There is no plan."}};
  const PhaseTimes times(report, *pick);
  ViewContent view{"When each phase runs (medians): " + report.name(*pick) +
                       (report.job.buffer > 0 ? ", with a buffer of " + percent(report.job.buffer) : std::string()),
                   times.table(),
                   {}};
  view.notes.push_back("Total " + with_range(pick->hours) + " h and " + with_range(pick->cost) + ".");
  if (std::string words = beside_others_words(*pick); !words.empty()) view.notes.push_back(std::move(words));
  const Seconds idle = times.idle();
  if (idle > Seconds{}) {
    view.notes.push_back(pick->kept ? "The machines are held for " + hours_words(idle) + " without work, " +
                                          to_text(pick->idle) + "; schedule: stop_when_idle releases them."
                                    : "The machines are released for " + hours_words(idle) +
                                          " between phases; schedule: keep holds (and bills) them.");
  }
  if (pick->interruptions > 0.05)
    view.notes.push_back("Expected interruptions: " + significant_text(pick->interruptions, 2) +
                         "; they and extra checkpoints take " + hours_words(pick->spot_loss) +
                         " on average, which ranges and means include.");
  return view;
}

}  // namespace gpuplan
