// All plans side by side, and how each of the foremost runs.
#include <algorithm>
#include <iterator>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/plan_rows.h"
#include "output/report/report_words.h"
#include "output/report/said_once.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "plan/answer/phase_speed.h"

namespace gpuplan {
namespace {

std::string beaten_by(const PlanReport& report, const Plan& plan) {
  if (plan.on_frontier || plan.dominated_by.empty()) return "";
  return "beaten by " + report.name(report.plan(plan.dominated_by.front()));
}

constexpr std::size_t kFewPlans = 8;  ///< a list of which nothing is left out

/// Those that the answer compares, and of a short list the others too.
std::vector<const Plan*> plans_told(const PlanReport& report) {
  std::vector<const Plan*> told = answer_rows(report);
  if (report.found.plans.size() <= kFewPlans)
    for (const Plan& plan : report.found.plans)
      if (std::ranges::find(told, &plan) == told.end()) told.push_back(&plan);
  return told;
}

/// "10,000 steps x 1.1 s (0.95–1.4), 3.5 samples/s, 24 min an epoch".
std::string speed_words(const PhasePlan& part, const Phase& phase) {
  std::string words = rate_words(part, phase);
  if (words.empty() || !std::holds_alternative<TrainPhase>(phase.work)) return words;
  if (const auto samples = samples_per_second(part.estimate)) words += ", " + rate_text(*samples) + " samples/s";
  if (const auto epoch = epoch_time(phase, part.estimate)) words += ", " + hours_words(*epoch) + " an epoch";
  return words;
}

/// Of plans that no other reason shows, the cheapest on each kind and number of GPUs: what else its machines cost is
/// among the prices.
std::vector<const Plan*> rows_of(const PlanReport& report, const std::vector<bool>& near) {
  const std::vector<Plan>& plans = report.found.plans;
  const std::vector<const Plan*> answered = answer_rows(report);
  const auto wanted = [&](const Plan& plan) {
    return plan.on_frontier || &plan == report.pick() || std::ranges::find(answered, &plan) != answered.end();
  };
  std::vector<const Plan*> rows;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!near[i]) continue;
    const Plan& plan = plans[i];
    const auto instead = [&](std::size_t j) {
      if (j == i || !near[j] || !same_machines(plans[j], plan)) return false;
      if (wanted(plans[j])) return true;
      return plans[j].cost.p50 != plan.cost.p50 ? plans[j].cost.p50 < plan.cost.p50 : j < i;
    };
    bool other = false;
    for (std::size_t j = 0; j < plans.size() && !other; ++j) other = instead(j);
    if (wanted(plan) || !other || plans.size() <= kFewPlans) rows.push_back(&plan);
  }
  return rows;
}

/// Of more kinds than somebody reads those near the recommended one.
std::vector<const Plan*> rows_of(const PlanReport& report) {
  const std::size_t all = report.found.plans.size();
  constexpr std::size_t kMostLooked = 200;  // of them none is left out before
  if (all <= kMostLooked)
    if (std::vector<const Plan*> rows = rows_of(report, std::vector<bool>(all, true)); rows.size() <= kMostPlans)
      return rows;
  return rows_of(report, plan_rows(report, true, kMostPlans));
}

/// The columns of speed_view() about a plan, by its name.
class Speeds {
 public:
  explicit Speeds(const PlanReport& report)
      : block_(table_block(speed_view(report, Screen{}).table, "speed_by_gpu", "",
                           {{"gpus", "GPUs"},
                            {"tokens_per_second", "Tokens/s"},
                            {"samples_per_second", "Samples/s"},
                            {"steps_per_second", "Steps/s"},
                            {"relative_speed", "Speed, times the slowest"},
                            {"relative_cost", "Cost, times the slowest"}})) {}

  std::vector<TableColumn> columns() const { return {block_.columns.begin() + 1, block_.columns.end()}; }
  std::vector<Cell> cells(const std::string& name) const {
    const auto row = std::ranges::find_if(block_.rows, [&](const TableRow& one) { return one.cells.front() == name; });
    std::vector<Cell> cells(block_.columns.size() - 1);
    if (row == block_.rows.end()) return cells;
    for (std::size_t i = 0; i < cells.size(); ++i)
      // Of a plan that costs nothing no multiple says anything.
      if (row->values[i + 1] && *row->values[i + 1] == 0) cells[i] = Cell();
      else cells[i] = row->values[i + 1] ? Cell(*row->values[i + 1], row->cells[i + 1]) : Cell(row->cells[i + 1]);
    return cells;
  }
  bool empty() const { return block_.rows.size() < 2; }

 private:
  TableBlock block_;
};

TableBlock all_plans(const PlanReport& report, const std::vector<const Plan*>& plans) {
  const Speeds speeds(report);
  std::vector<TableColumn> columns = {{"plan", "Plan", false},
                                      {"where", "Provider", false},
                                      {"hours", "Time", true},
                                      {"hours_range", kRunsHead, true},
                                      {"wait_hours", kQueueHead, true},
                                      {"cost_usd", "Cost", true},
                                      {"cost_usd_range", kRunsHead, true}};
  if (!speeds.empty()) std::ranges::copy(speeds.columns(), std::back_inserter(columns));
  columns.push_back({"remark", "Remark", false});
  TableMaker table("plans", "", std::move(columns));
  for (const Plan* one : plans) {
    const Plan& plan = *one;
    const bool pick = &plan == report.pick();
    const bool rented = plan.offer != nullptr && plan.offer->kind == OfferKind::kRented;
    std::string remark(pick ? pick_word(report) : "");
    for (const std::string& word : {row_remark(report, plan), beaten_by(report, plan)})
      if (!word.empty()) remark += (remark.empty() ? "" : ", ") + word;
    std::vector<Cell> cells = {{report.name(plan)},      {rented ? place_words(*plan.offer) : ""},
                               time_cell(plan.hours),    {time_range(plan.hours)},
                               wait_cell(plan.wait.p50), money_text(plan.cost),
                               {cost_range(plan.cost)}};
    if (!speeds.empty()) std::ranges::copy(speeds.cells(report.name(plan)), std::back_inserter(cells));
    cells.emplace_back(remark);
    table.add(std::move(cells), pick ? RowMark::kPick : plan.on_frontier ? RowMark::kBest : RowMark::kBeaten);
    add_ranges(plan.hours, plan.cost, table);
  }
  return table.take();
}

/// "1x L40S: the first sample", for all that differs between plans: how a phase runs there and how fast.
void add_ways(const PlanReport& report, const std::vector<const Plan*>& plans, ReportSection& section) {
  TableMaker table("plan_ways", "How they run it, where they differ",
                   {{"plan", "Plan", false},
                    {"phase", "Phase", false},
                    {"gpus_used", "GPUs", true},
                    {"how", "How", false},
                    {"rate", "Speed", false}});
  const bool several = report.job.phases.size() > 1;
  for (std::size_t i = 0; i < report.job.phases.size(); ++i) {
    std::vector<std::vector<Cell>> rows;
    bool differ = false;
    for (const Plan* plan : plans)
      for (const PhasePlan& part : plan->phases) {
        if (part.estimate->phase != static_cast<int>(i) || part.offer == nullptr) continue;
        const Phase& phase = phase_of(report, part);
        const std::string how = strategy_words(part.estimate, phase);
        rows.push_back({{report.name(*plan)},
                        {several ? phase_name(report, part) : ""},
                        {static_cast<double>(part.gpus_used()), std::to_string(part.gpus_used())},
                        {how.empty() ? phase_words(phase) : how},
                        {speed_words(part, phase)}});
        for (std::size_t c = 2; c < rows.back().size(); ++c)
          differ = differ || rows.back()[c].text != rows.front()[c].text;
      }
    if (differ)
      for (std::vector<Cell>& row : rows) {
        const bool pick = row.front().text == report.name(*report.pick());
        table.add(std::move(row), pick ? RowMark::kPick : RowMark::kNone);
      }
  }
  section.blocks.push_back(table.take());
}

/// A phase that runs alike under two plans stands at other costs: those of a plan add up to its own median.
bool costs_vary(const std::vector<const Plan*>& plans) {
  std::vector<const PhasePlan*> parts;
  for (const Plan* plan : plans)
    for (const PhasePlan& part : plan->phases)
      if (part.offer != nullptr && part.cost.p50 > Dollars{}) parts.push_back(&part);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (parts[i]->estimate->phase == parts[j]->estimate->phase && *parts[i]->offer == *parts[j]->offer &&
          parts[i]->spot == parts[j]->spot && parts[i]->gpus_billed == parts[j]->gpus_billed &&
          parts[i]->hours.p50 == parts[j]->hours.p50 && to_text(parts[i]->cost.p50) != to_text(parts[j]->cost.p50))
        return true;
  return false;
}

/// What each plan takes and costs, phase by phase; phases that use no machine are the same under all of them.
void add_costs(const PlanReport& report, const std::vector<const Plan*>& plans, ReportSection& section) {
  constexpr std::size_t kBeside = 6;  // columns that a page has room for
  std::vector<int> phases;
  for (const Plan* plan : plans)
    for (const PhasePlan& part : plan->phases)
      if (part.offer != nullptr && std::ranges::find(phases, part.estimate->phase) == phases.end())
        phases.push_back(part.estimate->phase);
  std::ranges::sort(phases);
  // Of one phase the tables of plans say it all.
  const auto more = [](const Plan* plan) { return plan->spot || plan->idle > Dollars{}; };
  if (report.job.phases.size() == 1 && std::ranges::none_of(plans, more)) return;
  for (std::size_t from = 0; from < phases.size() || from == 0; from += kBeside) {
    const std::size_t to = std::min(from + kBeside, phases.size());
    const bool last = to == phases.size();
    std::vector<TableColumn> columns = {{"plan", "Plan", false}};
    for (std::size_t i = from; i < to; ++i)
      columns.push_back(
          {"phase_usd", printable(report.job.phases[static_cast<std::size_t>(phases[i])].name, 40), true});
    if (last) {
      columns.push_back({"held_usd", "Held, not used", true});
      columns.push_back({"cost_usd", "In all", true});
      columns.push_back({"chance_of_interruption", "Interrupted", true});
    }
    TableMaker table("plan_phases", from == 0 ? "Time and cost of each phase" : "", std::move(columns));
    for (const Plan* plan : plans) {
      std::vector<Cell> cells = {{report.name(*plan)}};
      for (std::size_t i = from; i < to; ++i) {
        const auto part =
            std::ranges::find(plan->phases, phases[i], [](const PhasePlan& one) { return one.estimate->phase; });
        if (part == plan->phases.end()) {
          cells.emplace_back();
          continue;
        }
        const std::string time = hours_words(part->hours.p50);
        cells.emplace_back(
            part->cost.p50 / units::dollar,
            part->cost.p50 > Dollars{} ? time + ", " + bill_money(part->cost.p50, plan->cost.p50) : time);
      }
      if (last) {
        cells.push_back(
            plan->idle > Dollars{} ? Cell(plan->idle / units::dollar, bill_money(plan->idle, plan->cost.p50)) : Cell());
        cells.emplace_back(plan->cost.p50 / units::dollar,
                           hours_words(plan->hours.p50) +
                               (plan->cost.p50 > Dollars{} ? ", " + bill_money(plan->cost.p50, plan->cost.p50) : ""));
        cells.push_back(plan->spot ? Cell(plan->chance_of_interruption(), chance_words(plan->chance_of_interruption()))
                                   : Cell());
      }
      table.add(std::move(cells), plan == report.pick() ? RowMark::kPick : RowMark::kNone);
    }
    section.blocks.push_back(table.take());
    if (last) break;
  }
  if (costs_vary(plans))
    section.blocks.push_back(
        TextBlock{"The costs of a plan's phases add up to its own median, so a phase that runs alike "
                  "under two plans may differ slightly between them."});
}

/// The commands of other plans that are not those of the pick, and those that write their scripts.
void add_commands(const ReportParts& parts, const std::vector<const Plan*>& plans, ReportSection& section) {
  const PlanReport& report = parts.plan;
  std::string commands, scripts;
  for (const Plan* plan : plans) {
    if (plan == report.pick()) continue;
    for (const PhasePlan& part : plan->phases) {
      const std::string command = command_run(report, part);
      const auto same = std::ranges::find_if(
          report.pick()->phases, [&](const PhasePlan& own) { return own.estimate->phase == part.estimate->phase; });
      if (command.empty() || (same != report.pick()->phases.end() && command_run(report, *same) == command)) continue;
      commands +=
          (commands.empty() ? "# " : "\n# ") + report.name(*plan) + ": " + phase_name(report, part) + "\n" + command;
    }
    if (const std::string command = launch_of(parts, *plan); !command.empty())
      scripts += (scripts.empty() ? "# " : "\n# ") + report.name(*plan) + "\n" + command + " -o run-" + plan->id;
  }
  if (!commands.empty()) {
    section.blocks.push_back(TextBlock{"What is started there instead of the commands of the recommended plan:"});
    section.blocks.push_back(CodeBlock{"sh", commands});
  }
  if (!scripts.empty()) {
    const bool rented = offers_to_rent(report.found.plans);
    section.blocks.push_back(
        TextBlock{std::string("Scripts of the others (nothing is ") + (rented ? "rented or started):" : "started):")});
    section.blocks.push_back(CodeBlock{"sh", scripts});
  }
}

}  // namespace

ReportSection plans_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const std::vector<Plan>& plans = report.found.plans;
  ReportSection section{"plans", "Which plans are there?", "", {}};
  const auto frontier = std::ranges::count_if(plans, &Plan::on_frontier);
  if (plans.size() == 1) {
    section.finding = "There is one plan: there is nothing to compare it with.";
  } else {
    section.finding = count_of(static_cast<double>(plans.size()), "plan") + " run this job; " +
                      (frontier == 1 ? "one of them is beaten by none"
                                     : count_text(static_cast<double>(frontier)) + " of them are beaten by none") +
                      " in both time and cost.";
  }
  const std::vector<const Plan*> rows = rows_of(report);
  section.blocks.push_back(all_plans(report, rows));
  if (rows.size() < plans.size())
    section.blocks.push_back(TextBlock{"Shown are " + std::to_string(rows.size()) + " of " +
                                       count_text(static_cast<double>(plans.size())) +
                                       " plans: those that nothing beats, and the cheapest on other kinds and numbers "
                                       "of GPUs."});
  const bool queues = std::ranges::any_of(plans, [](const Plan& plan) { return plan.wait.p50 > Seconds{}; });
  if (frontier > 1) {
    const ViewContent saved = saved_view(report, Screen{});
    TableBlock hours =
        table_block(saved.table, "saved", "What each saved hour costs, each plan against the one above it",
                    {{"plan", "Plan"},
                     {"hours", "Hours"},
                     {"wait_hours", kQueueHead},
                     {"extra_usd", "More"},
                     {"saved_hours", "Hours saved"},
                     {"usd_per_hour_saved", "$ an hour saved"},
                     {"worth_it_above_usd_per_hour", "Beats all cheaper ones if your hour is over"}});
    // Where nothing waits, hours stand in the table above.
    if (!queues)
      if (const auto at = std::ranges::find(hours.columns, "hours", &TableColumn::key); at != hours.columns.end())
        hours.erase_column(static_cast<std::size_t>(at - hours.columns.begin()));
    section.blocks.push_back(std::move(hours));
    if (queues) section.blocks.push_back(TextBlock{"Hours saved count the hours in the queue, too."});
    if (saved.notes.size() > 1) section.blocks.push_back(TextBlock{saved.notes[1]});  // from cheapest to fastest
  }
  return section;
}

ReportSection each_plan_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportSection section{"each", "How does each plan run?", "", {}};
  const std::vector<const Plan*> plans = plans_told(report);
  add_costs(report, plans, section);
  add_ways(report, plans, section);
  add_commands(parts, plans, section);
  if (section.blocks.empty()) return section;
  section.finding = count_of(static_cast<double>(plans.size()), "plan") +
                    (report.job.phases.size() == 1 ? ": how each of them runs it."
                     : plans.size() > 1            ? ": what each takes and costs, phase by phase."
                                                   : ": time and cost of each phase.");
  return section;
}

}  // namespace gpuplan
