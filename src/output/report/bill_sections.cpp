// What is paid for, and what may go wrong.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "domain/market/billed_time.h"
#include "output/answer/remarks.h"
#include "output/explain/own_terms_words.h"
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

/// What is billed and no phase's: machines held between phases, and what billing adds behind their last use.
std::string rest_name(const Plan& plan) {
  const auto spells = spells_of(plan);
  const bool gaps = plan.kept && std::ranges::any_of(spells, [](const Spell& spell) { return spell.phases.empty(); });
  bool boot = false, beyond = false;
  for (const Lease& lease : plan.leases) {
    if (lease.offer->kind != OfferKind::kRented) continue;
    const Billing& billing = lease.offer->billing;
    boot = boot || (billing.startup > Seconds{} && billing.startup_billed);
    const Seconds held = lease.to - lease.from - (billing.startup_billed ? Seconds{} : billing.startup);
    beyond = beyond || billed_seconds(held, billing) - held > units::second;
  }
  std::vector<std::string> names;
  if (boot) names.emplace_back("boot before the first use");
  if (gaps) names.emplace_back("held between phases");
  if (beyond) names.emplace_back("billed beyond the last use");
  return names.empty() ? std::string("between and after the phases") : listed(names);
}

/// Puts back what credits pay of each line, so that the lines tell what is billed and add up to cost and credits, cent
/// by cent: of each lease its own credits, by what its lines cost or, where nothing is left to pay, by their GPU-hours.
void add_credits(const Plan& plan, Ledger& ledger) {
  if (plan.credits <= Dollars{}) return;
  std::vector<double> weights(ledger.phases.size() + 1, 0);  // the last: what is no phase's
  for (const Lease& lease : plan.leases) {
    if (lease.credits <= Dollars{}) continue;
    const bool left = lease.cost > Dollars{};
    const auto weight = [&](const LedgerLine& line) { return left ? line.cost.value : line.billed; };
    double all = lease.idle.value;
    for (const int phase : lease.phases) all += weight(ledger.phases[static_cast<std::size_t>(phase)]);
    if (all <= 0) continue;
    for (const int phase : lease.phases)
      weights[static_cast<std::size_t>(phase)] +=
          lease.credits.value * weight(ledger.phases[static_cast<std::size_t>(phase)]) / all;
    weights.back() += lease.credits.value * lease.idle.value / all;
  }
  double all = 0, before = 0, given = 0;
  for (const double weight : weights) all += weight;
  if (all <= 0) return;
  // As plans are billed: cents, and below a dollar hundredths of them.
  const double units = plan.cost.p50 + plan.credits < Dollars{1} ? 1e4 : 100;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += weights[i];
    const double upto =
        i + 1 == weights.size() ? plan.credits.value : std::round(plan.credits.value * before / all * units) / units;
    (i < ledger.phases.size() ? ledger.phases[i] : ledger.idle).cost += Dollars{upto - given};
    given = upto;
  }
  ledger.subtotal.cost = plan.cost.p50 + plan.credits - ledger.idle.cost;
  ledger.buffer.cost = plan.buffer > Seconds{} && ledger.subtotal.billed > 0
                           ? ledger.subtotal.cost * (ledger.buffer.billed / ledger.subtotal.billed)
                           : ledger.buffer.cost;
}

/// Rows that add up to the plan's cost, cent by cent; the buffer is inside of each, as in every other figure.
TableBlock bill_table(const PlanReport& report, const Plan& plan) {
  Ledger ledger = ledger_of(report.job, plan);
  add_credits(plan, ledger);
  const Dollars billed = plan.cost.p50 + plan.credits;
  const auto bill_cell = [&](Dollars money) { return Cell(money / units::dollar, bill_money(money, billed)); };
  const bool clocked = plan.phases.size() > 1;
  const auto hour_cell = [&](Seconds at) { return clocked ? Cell(at / units::hour, hours_text(at)) : Cell(); };
  // Of what a phase's machines cost, the share of their GPUs that nothing uses.
  const auto unused = [](const LedgerLine& line) {
    const double share = line.billed > 0 ? std::clamp(1 - line.used / line.billed, 0.0, 1.0) : 0;
    constexpr double kHardly = 0.01;  // medians do not add up
    return share < kHardly ? Dollars{} : line.cost * share;
  };
  Dollars idle = ledger.idle.cost;
  for (const LedgerLine& line : ledger.phases) idle += unused(line);
  const auto idle_cell = [&](Dollars money) { return idle > Dollars{} ? bill_cell(money) : Cell(); };
  TableMaker table("bill", "",
                   {{"phase", "For", false},
                    {"start_hour", "From, h", true},
                    {"end_hour", "To, h", true},
                    {"gpus_used", "GPUs used", true},
                    {"hours", "Time", true},
                    {"gpu_hours_used", "GPU-hours used", true},
                    {"gpu_hours_billed", rents(plan) ? "GPU-hours paid" : "GPU-hours held", true},
                    {"cost_usd", "Cost", true},
                    {"idle_usd", "Of it for idle GPUs", true}});
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    const LedgerLine& line = ledger.phases[i];
    const bool machine = part.offer != nullptr;
    table.add({{phase_name(report, part)},
               hour_cell(part.start),
               hour_cell(end_of(part)),
               {static_cast<double>(part.gpus_used()),
                machine ? std::to_string(part.gpus_used()) + " of " + std::to_string(part.gpus_billed) : kNoValue},
               time_cell(part.hours),
               used_cell(line.used),
               used_cell(line.billed),
               bill_cell(line.cost),
               idle_cell(unused(line))});
  }
  if (ledger.idle.cost > Dollars{})
    table.add({{rest_name(plan)},
               {},
               {},
               {},
               {},
               used_cell(ledger.idle.used),
               used_cell(ledger.idle.billed),
               bill_cell(ledger.idle.cost),
               idle_cell(ledger.idle.cost)});
  if (plan.credits > Dollars{})
    table.add({{"paid by " + credit_names(report.job, plan)},
               {},
               {},
               {},
               {},
               {},
               {},
               {-plan.credits / units::dollar, "-" + bill_money(plan.credits, billed)}});
  // What credits pay whole is zero, and not nothing.
  const bool paid = plan.credits > Dollars{} && ledger.total.cost <= Dollars{};
  table.add({{"In all"},
             {},
             {},
             {},
             time_cell(plan.hours),
             used_cell(ledger.total.used),
             used_cell(ledger.total.billed),
             paid ? Cell(0, "$0.00") : bill_cell(ledger.total.cost),
             idle_cell(idle)},
            RowMark::kNone, true);
  const auto of_it = [&](const char* name, Dollars money) {
    if (money > Dollars{}) table.add({{name}, {}, {}, {}, {}, {}, {}, bill_cell(money)});
  };
  of_it("disk space, inside of the above", plan.disk);
  of_it("results sent out (egress), inside of the above", plan.egress);
  if (plan.buffer > Seconds{})
    table.add({{"buffer of " + percent(report.job.buffer) + ", inside of the above"},
               {},
               {},
               {},
               {plan.buffer / units::hour, hours_words(plan.buffer)},
               used_cell(ledger.buffer.used),
               used_cell(ledger.buffer.billed),
               bill_cell(ledger.buffer.cost)});
  if (const Dollars reserve = report.job.contingency; reserve > Dollars{}) {
    of_it("reserve (contingency)", reserve);
    table.add({{"Set aside"}, {}, {}, {}, {}, {}, {}, bill_cell(plan.cost.p50 + reserve)}, RowMark::kNone, true);
  }
  return table.take();
}

/// From and to are sums of medians, which the median of the whole is not.
std::string clock_words(const Plan& plan) {
  Seconds end{};
  for (const PhasePlan& part : plan.phases) end = std::max(end, end_of(part));
  if (plan.phases.size() < 2 || hours_text(end) == hours_text(plan.hours.p50)) return "";
  return "From and to add up the medians of the phases; the median of the whole is " + hours_words(plan.hours.p50) +
         ".";
}

/// Used and paid for, without the totals before it, which stand in the finding.
std::string used_words(const PlanReport& report) {
  const ViewContent view = gpu_hours_view(report, Screen{});
  if (view.notes.empty()) return "";
  const std::size_t used = view.notes.front().find("Used ");
  return used == std::string::npos ? "" : view.notes.front().substr(used);
}

std::string bill_finding(const PlanReport& report, const Plan& pick) {
  if (pick.cost.p90 <= Dollars{} && pick.credits > Dollars{})
    return "There is nothing to pay: " + credit_names(report.job, pick) + " cover the bill of " +
           to_text(pick.credits) + ".";
  if (pick.cost.p90 <= Dollars{})
    return rents(pick) ? "It costs nothing." : "It costs nothing: the machines are yours.";
  std::string words = "It costs " + with_range(cost_words(pick.cost), cost_range(pick.cost));
  if (pick.credits > Dollars{}) words += ", " + credit_words(report.job, pick);
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
  std::vector<std::string> lines = {used_words(report), clock_words(pick)};
  for (std::string& line : own_terms_words(report.job, pick)) lines.push_back(std::move(line));
  add_list(section, lines);
  add_list(section, waiting_words(report, pick));
  // Where each way is a plan that stands among the others, they are told already.
  const bool others = std::ranges::any_of(
      parts.ways, [&](const RentalOption& way) { return same_as(report, way).empty() || !report.variants.empty(); });
  if (parts.ways.size() > 1 && others) {
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
    for (std::size_t i = 0; i < parts.ways.size() && i < block.rows.size(); ++i)
      if (const std::string name = same_as(report, parts.ways[i]); name.starts_with("variant "))
        block.rows[i].cells.front() += " (" + name + ")";
    keep_different(block);
    if (block.rows.size() > 1) {
      section.blocks.push_back(std::move(block));
      std::vector<std::string> notes(ways.notes.begin(), ways.notes.begin() + (ways.notes.empty() ? 0 : 1));
      if (std::ranges::any_of(parts.ways, &RentalOption::human_without))
        notes.emplace_back("Manual phases (human: true) get no GPU once the machine is released.");
      add_list(section, notes);
    }
  }
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
               {"start the same command again: " + again_words(parts)}});
    finding.push_back(chance_words(chance) + " chance of an interruption");
  }
  if (pick.chance_in_time) {
    const double late = 1 - *pick.chance_in_time;
    const bool faster = std::ranges::any_of(
        report.found.plans, [&](const Plan& plan) { return plan.on_frontier && plan.hours.p50 < pick.hours.p50; });
    table.add({{"later than the deadline of " + to_text(*report.job.limits.deadline)},
               {late, chance_words(late)},
               {faster ? "compare with the plan early; a faster plan stands above" : "compare with the plan early"}});
    finding.push_back(chance_words(*pick.chance_in_time, pick.meets_deadline) + " chance to meet the deadline");
  }
  if (pick.chance_in_budget) {
    const double over = 1 - *pick.chance_in_budget;
    table.add({{"more than the budget of " + short_money(*report.job.limits.budget)},
               {over, chance_words(over)},
               {"stop when the running total leaves its range"}});
    finding.push_back(chance_words(*pick.chance_in_budget, pick.meets_budget) + " chance to stay within the budget");
  }
  if (pick.fit == Fit::kTight)
    table.add({{"out of memory"}, {"fits in half of the runs, not in 9 of 10"}, {"start with a smaller micro-batch"}});
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
