// What is paid for, and what may go wrong.
#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/parts/api_words.h"
#include "output/answer/remarks.h"
#include "output/report/report_words.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/gate_words.h"
#include "output/words/plan_words.h"
#include "output/words/problem_words.h"
#include "plan/billing/ledger.h"
#include "plan/notes/known_problems.h"

namespace gpuplan {
namespace {

Cell used_cell(double amount) { return {amount, amount > 0 ? rate_text(amount) : kNoValue}; }

/// Rows that add up to the plan's cost, cent by cent; the buffer is inside of each, as in every other figure.
TableBlock bill_table(const PlanReport& report, const Plan& plan) {
  const Ledger ledger = ledger_of(report.job, plan);
  const auto bill_cell = [&](Dollars money) { return Cell(money / units::dollar, bill_money(money, plan.cost.p50)); };
  TableMaker table("bill", "",
                   {{"phase", "For", false},
                    {"gpus_used", "GPUs used", true},
                    {"hours", "Time", true},
                    {"gpu_hours_used", "GPU-hours used", true},
                    {"gpu_hours_billed", rents(plan) ? "GPU-hours paid" : "GPU-hours held", true},
                    {"cost_usd", "Cost", true}});
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    const LedgerLine& line = ledger.phases[i];
    const bool machine = part.offer != nullptr;
    table.add({{phase_name(report, part)},
               {static_cast<double>(part.gpus_used()),
                machine ? std::to_string(part.gpus_used()) + " of " + std::to_string(part.gpus_billed) : kNoValue},
               time_cell(part.hours),
               used_cell(line.used),
               used_cell(line.billed),
               bill_cell(line.cost)});
  }
  if (ledger.idle.cost > Dollars{})
    table.add({{"held, not used"},
               {},
               {},
               used_cell(ledger.idle.used),
               used_cell(ledger.idle.billed),
               bill_cell(ledger.idle.cost)});
  table.add({{"In all"},
             {},
             time_cell(plan.hours),
             used_cell(ledger.total.used),
             used_cell(ledger.total.billed),
             bill_cell(ledger.total.cost)},
            RowMark::kNone, true);
  const auto of_it = [&](const char* name, Dollars money) {
    if (money > Dollars{}) table.add({{name}, {}, {}, {}, {}, bill_cell(money)});
  };
  of_it("disk space, inside of the above", plan.disk);
  of_it("results sent out (egress), inside of the above", plan.egress);
  if (plan.buffer > Seconds{})
    table.add({{"buffer of " + percent(report.job.buffer) + ", inside of the above"},
               {},
               {plan.buffer / units::hour, hours_words(plan.buffer)},
               used_cell(ledger.buffer.used),
               used_cell(ledger.buffer.billed),
               bill_cell(ledger.buffer.cost)});
  if (const Dollars reserve = report.job.contingency; reserve > Dollars{}) {
    table.add({{"reserve (contingency)"}, {}, {}, {}, {}, bill_cell(reserve)});
    table.add({{"Set aside"}, {}, {}, {}, {}, bill_cell(plan.cost.p50 + reserve)}, RowMark::kNone, true);
  }
  return table.take();
}

std::string bill_finding(const PlanReport& report, const Plan& pick) {
  if (pick.cost.p90 <= Dollars{}) return "It costs nothing: the machines are yours.";
  std::string words = "It costs " + with_range(cost_words(pick.cost), cost_range(pick.cost));
  if (report.job.contingency > Dollars{})
    words += "; set aside " + to_text(pick.cost.p50 + report.job.contingency) + " with the reserve of " +
             short_money(report.job.contingency);
  if (pick.billed_gpu_hours > 0 && pick.gpu_hours > 0)
    words += "; GPUs are in use, setup included, for " + percent(pick.gpu_hours / pick.billed_gpu_hours) +
             " of the hours " + std::string(paid_word(pick));
  return words + ".";
}

}  // namespace

namespace {

/// Ways that come to the same but for how they are called are one, the first.
void keep_different(TableBlock& table) {
  const auto told = [&](const TableRow& row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (table.columns[i].key != "way" && table.columns[i].key != "settings") cells.push_back(row.cells[i]);
    return cells;
  };
  std::vector<TableRow> rows;
  for (TableRow& row : table.rows) {
    const auto same = std::ranges::find_if(rows, [&](const TableRow& other) { return told(other) == told(row); });
    if (same == rows.end()) rows.push_back(std::move(row));
    else if (row.mark == RowMark::kPick) same->mark = RowMark::kPick;
  }
  table.rows = std::move(rows);
}

/// What people do before a phase while its machines are held: time that is paid for.
std::vector<std::string> waiting_words(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> lines;
  for (const PhasePlan& part : plan.phases) {
    const Seconds time = part.estimate->term(TimeTerm::kManual).p50;
    const Phase& phase = phase_of(report, part);
    if (part.offer == nullptr || time <= Seconds{} || !phase.before) continue;
    const Seconds all = part.estimate->work.p50 + part.estimate->extra.p50;
    const Dollars cost = all > Seconds{} ? (part.cost.p50 - part.disk - part.egress) * (time / all) : Dollars{};
    lines.push_back("The machines of " + printable(phase.name, 40) + " are held for " + hours_words(time) +
                    " of work by hand before it (" + printable(phase.before->text, 120) + ")" +
                    (cost > Dollars{} ? ": " + short_money(cost) + " of its cost." : ".") +
                    (cost > Dollars{} && phase.needs.empty() ? " Done before they are there, it costs nothing." : ""));
  }
  return lines;
}

}  // namespace

ReportSection bill_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"bill", "What is on the bill?", bill_finding(report, pick), {}};
  section.blocks.push_back(bill_table(report, pick));
  const ViewContent gpu_hours_words = gpu_hours_view(report, Screen{});
  add_list(section, gpu_hours_words.notes);
  add_list(section, waiting_words(report, pick));
  if (pick.phases.size() > 1 || pick.idle > Dollars{}) {
    const ViewContent schedule = schedule_view(report, Screen{});
    section.blocks.push_back(table_block(schedule.table, "schedule", "When each phase runs, in hours from the start",
                                         {{"phase", "Phase"},
                                          {"start_hour", "From"},
                                          {"end_hour", "To"},
                                          {"GPUS", "GPUs used"},
                                          {"gpus_idle", "GPUs idle"},
                                          {"cost_share", "Share of the cost"}}));
    if (schedule.notes.size() > 1) add_list(section, {schedule.notes.begin() + 1, schedule.notes.end()});
    const ViewContent ledger = ledger_view(report, Screen{});
    FoldBlock fold{"The bill hour by hour", {}};
    fold.blocks.push_back(table_block(ledger.table, "ledger", "",
                                      {{"from_hour", "From hour"},
                                       {"to_hour", "To"},
                                       {"runs", "Runs"},
                                       {"machines", "Machines"},
                                       {"GPUS", "GPUs used"},
                                       {"cost_usd", "Cost"},
                                       {"idle_usd", "Of it idle"},
                                       {"so_far_usd", "So far"}}));
    fold.blocks.push_back(ListBlock{false, without_hints(ledger.notes)});
    section.blocks.push_back(std::move(fold));
  }
  if (parts.ways.size() > 1) {
    const ViewContent ways = options_content(report, pick, parts.ways);
    TableBlock block = table_block(ways.table, "ways", "Other ways to rent the same machines",
                                   {{"way", "Way"},
                                    {"hours", "Hours"},
                                    {"hours~", kRunsHead},
                                    {"cost_usd", "Cost"},
                                    {"cost_usd~", "$, 8 in 10 runs"},
                                    {"utilisation", "GPU-hours used"},
                                    {"idle_usd", "Of it idle"},
                                    {"chance_of_interruption", "Interrupted"},
                                    {"settings", "In the job"}});
    keep_different(block);
    if (block.rows.size() > 1) {
      section.blocks.push_back(std::move(block));
      add_list(section, ways.notes);
    }
  }
  std::vector<std::string> lines;
  if (const std::string api = api_words(report, pick); !api.empty()) lines.push_back(api);
  add_list(section, lines);
  return section;
}

ReportSection risk_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"risk", "What may go wrong?", "", {}};
  TableMaker table("risks", "",
                   {{"risk", "Risk", false}, {"chance", "Chance or effect", false}, {"advice", "What to do", false}});
  std::vector<std::string> finding;
  if (pick.interruptions > 0) {
    const double chance = pick.chance_of_interruption();
    const bool spot = std::ranges::any_of(pick.leases, &Lease::spot);
    table.add({{spot ? "a spot machine is taken back" : "a job is preempted"},
               {chance, chance_words(chance)},
               {"start the same command again: " + again_words(parts) + "; the plan counts with " +
                hours_words(pick.spot_loss) + " on average for this"}});
    finding.push_back(chance_words(chance) + " chance of an interruption");
  }
  if (pick.chance_in_time) {
    const double late = 1 - *pick.chance_in_time;
    const bool faster = std::ranges::any_of(
        report.found.plans, [&](const Plan& plan) { return plan.on_frontier && plan.hours.p50 < pick.hours.p50; });
    table.add({{"later than the deadline of " + to_text(*report.job.limits.deadline)},
               {late, chance_words(late)},
               {faster ? "compare with the plan early; a faster plan stands above" : "compare with the plan early"}});
    finding.push_back(chance_words(*pick.chance_in_time) + " chance to meet the deadline");
  }
  if (pick.chance_in_budget) {
    const double over = 1 - *pick.chance_in_budget;
    table.add({{"more than the budget of " + short_money(*report.job.limits.budget)},
               {over, chance_words(over)},
               {"stop when the running total leaves its range"}});
    finding.push_back(chance_words(*pick.chance_in_budget) + " chance to stay within the budget");
  }
  if (pick.fit == Fit::kTight)
    table.add({{"out of memory"}, {"the median fits, P90 does not"}, {"start with a smaller micro-batch"}});
  if (const std::string words = availability_words(report); !words.empty())
    table.add({{"the machine is not available"}, {}, {without_hints(words)}});
  const auto problems = known_problems(pick, report.job, report.catalogue);
  for (const TouchedPhases& touched : problems)
    table.add({{problem_sentence(*touched.problem)}, {problem_effect(*touched.problem)}, {touched.problem->remedy}});
  if (!problems.empty()) finding.push_back(count_of(static_cast<double>(problems.size()), "known issue"));
  section.finding = upper_first(listed(finding)) + (finding.empty() ? "" : ".");
  section.blocks.push_back(table.take());
  std::vector<std::string> lines = gate_words(report, pick);
  if (std::string words = interruption_words(report, pick); !words.empty()) lines.push_back(std::move(words));
  add_list(section, lines);
  TableBlock others =
      table_block(problems_view(report, Screen{}).table, "problems", "",
                  {{"problem", "Problem"}, {"effect", "Effect"}, {"remedy", "What to do"}, {"plans", "Plans"}});
  // Those of the recommended plan stand above.
  std::erase_if(others.rows, [&](const TableRow& row) {
    return std::ranges::any_of(problems, [&](const TouchedPhases& touched) {
      return std::ranges::find(row.cells, problem_sentence(*touched.problem)) != row.cells.end();
    });
  });
  section.blocks.push_back(FoldBlock{"Known issues of the other plans", {std::move(others)}});
  return section;
}

}  // namespace gpuplan
