// All plans side by side, and how each of the foremost runs.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/plan_rows.h"
#include "output/report/report_words.h"
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

/// Those that the answer compares, and of a short list the others too.
std::vector<const Plan*> plans_told(const PlanReport& report) {
  constexpr std::size_t kMostTold = 8;
  std::vector<const Plan*> told = answer_rows(report);
  if (report.found.plans.size() <= kMostTold)
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

TableBlock all_plans(const PlanReport& report) {
  TableMaker table("plans", "",
                   {{"plan", "Plan", false},
                    {"where", "Provider", false},
                    {"hours", "Time", true},
                    {"hours_range", kRunsHead, true},
                    {"cost_usd", "Cost", true},
                    {"cost_usd_range", kRunsHead, true},
                    {"remark", "Remark", false}});
  const std::vector<bool> shown = plan_rows(report, true, kMostPlans);
  for (std::size_t i = 0; i < report.found.plans.size(); ++i) {
    if (!shown[i]) continue;
    const Plan& plan = report.found.plans[i];
    const bool pick = &plan == report.pick();
    const bool rented = plan.offer != nullptr && plan.offer->kind == OfferKind::kRented;
    std::string remark(pick ? pick_word(report) : "");
    for (const std::string& word : {row_remark(report, plan), beaten_by(report, plan)})
      if (!word.empty()) remark += (remark.empty() ? "" : ", ") + word;
    table.add({{report.name(plan)},
               {rented ? place_words(*plan.offer) : ""},
               time_cell(plan.hours),
               {time_range(plan.hours)},
               money_text(plan.cost),
               {cost_range(plan.cost)},
               {remark}},
              pick               ? RowMark::kPick
              : plan.on_frontier ? RowMark::kBest
                                 : RowMark::kBeaten);
  }
  return table.take();
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
  section.blocks.push_back(all_plans(report));
  if (plans.size() > kMostPlans)
    section.blocks.push_back(TextBlock{"The table has the " + std::to_string(kMostPlans) +
                                       " plans nearest to the recommended one, of " +
                                       count_text(static_cast<double>(plans.size())) + "."});
  if (frontier > 1) {
    const ViewContent saved = saved_view(report, Screen{});
    section.blocks.push_back(table_block(saved.table, "saved",
                                         "What each saved hour costs, each plan against the one above it",
                                         {{"plan", "Plan"},
                                          {"hours", "Hours"},
                                          {"cost_usd", "Cost"},
                                          {"extra_usd", "More"},
                                          {"saved_hours", "Hours saved"},
                                          {"usd_per_hour_saved", "$ an hour saved"},
                                          {"worth_it_above_usd_per_hour", "Worth it if your hour is over"},
                                          {"worth_it", "Worth it"}}));
    add_list(section, saved.notes);
  }
  return section;
}

ReportSection each_plan_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportSection section{"each", "How does each plan run?", "", {}};
  for (const Plan* plan : plans_told(report)) {
    TableMaker table("plan_phases", "",
                     {{"phase", "Phase", false},
                      {"gpus_used", "GPUs", true},
                      {"how", "How", false},
                      {"rate", "Speed", false},
                      {"hours", "Time", true},
                      {"cost_usd", "Cost", true}});
    for (const PhasePlan& part : plan->phases) {
      const Phase& phase = phase_of(report, part);
      const std::string how = strategy_words(part.estimate, phase);
      table.add({{phase_name(report, part)},
                 {part.estimate->gpus > 0 ? std::to_string(part.estimate->gpus) : kNoValue},
                 {how.empty() ? phase_words(phase) : how},
                 {speed_words(part, phase)},
                 time_cell(part.hours),
                 {part.cost.p50 / units::dollar, bill_money(part.cost.p50, plan->cost.p50)}});
    }
    if (plan->idle > Dollars{})
      table.add(
          {{"held, not used"}, {}, {}, {}, {}, {plan->idle / units::dollar, bill_money(plan->idle, plan->cost.p50)}});
    if (plan->phases.size() > 1 || plan->idle > Dollars{})
      table.add({{"In all"},
                 {},
                 {},
                 {},
                 time_cell(plan->hours),
                 {plan->cost.p50 / units::dollar, bill_money(plan->cost.p50, plan->cost.p50)}},
                RowMark::kNone, true);
    std::vector<ReportBlock> blocks;
    const std::string offer = offer_words(*plan);
    std::string words = (offer.empty() ? std::string("Machines of several offers") : offer) +
                        ". Memory per GPU: " + memory_words(*plan) + ".";
    if (plan->spot) words += " Chance of an interruption: " + chance_words(plan->chance_of_interruption()) + ".";
    blocks.push_back(TextBlock{upper_first(std::move(words))});
    blocks.push_back(table.take());
    if (const std::string commands = commands_run(report, *plan); !commands.empty() && plan != report.pick())
      blocks.push_back(CodeBlock{"sh", commands});  // those of the pick stand with what runs
    if (const std::string command = launch_of(parts, *plan); !command.empty())
      blocks.push_back(CodeBlock{"sh", command + " -o run-" + plan->id});
    const std::string remark = row_remark(report, *plan);
    section.blocks.push_back(FoldBlock{
        report.name(*plan) + (plan == report.pick() ? " (" + std::string(pick_word(report)) + ")" : "") + ": " +
            hours_words(plan->hours.p50) + ", " + cost_words(plan->cost) + (remark.empty() ? "" : ", " + remark),
        std::move(blocks)});
  }
  return section;
}

}  // namespace gpuplan
