// The whole plan on a card at the end of a report: what somebody copies into a ticket or takes along.
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_head.h"
#include "output/report/report_words.h"
#include "output/words/plan_words.h"
#include "plan/ranking/fallback.h"

namespace gpuplan {
namespace {

/// "1.5 h, $15.27, batch 256": a phase as it stands on the bill.
std::string card_phase_words(const Plan& pick, const PhasePlan& part) {
  std::vector<std::string> words = {hours_words(part.hours.p50)};
  if (part.cost.p50 > Dollars{}) words.push_back(bill_money(part.cost.p50, pick.cost.p50));
  if (part.estimate->batch > 0) words.push_back("batch " + count_text(part.estimate->batch));
  return join(words, ", ");
}

}  // namespace

ReportSection card_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"card", "Summary card", "", {}};
  TableMaker card("card", "", {{"what", "What", false}, {"figure", "Plan", false}});
  const auto add = [&](const std::string& what, const std::string& words) {
    if (!words.empty()) card.add({{what}, {words}});
  };
  constexpr std::string_view kRecommended = "Recommended: ";
  const std::string verdict = verdict_words(report);
  add("Machines", verdict.starts_with(kRecommended) ? verdict.substr(kRecommended.size()) : verdict);
  add("Time", with_range(hours_words(pick.hours.p50), time_range(pick.hours)));
  if (pick.wait.p50 > Seconds{}) add("In the queue before", hours_words(pick.wait.p50));
  if (pick.cost.p90 > Dollars{}) add("Cost", with_range(cost_words(pick.cost), cost_range(pick.cost)));
  if (pick.fullest() != nullptr) add("Memory per GPU", memory_words(pick));
  constexpr std::size_t kMostPhases = 12;
  if (pick.phases.size() > 1)
    for (std::size_t i = 0; i < pick.phases.size() && i < kMostPhases; ++i)
      add("Phase " + phase_name(report, pick.phases[i]), card_phase_words(pick, pick.phases[i]));
  else if (const double batch = pick.phases.front().estimate->batch; batch > 0) add("Batch", count_text(batch));
  for (const auto& [label, words] : pick_lines(report))
    if (label == "Run") add("How it runs", without_hints(words));
  std::vector<std::string> limits;
  for (const std::string& line : asked_words(report))
    if (!line.starts_with("Assumed: ")) limits.push_back(without_hints(line));
  add("Limits", join(limits, " "));
  for (const Fallback& row : report.stand_ins()) {
    if (row.plan == &pick) continue;
    add("If it is not available", report.name(*row.plan) + ", " + hours_words(row.plan->hours.p50) +
                                      (row.plan->cost.p50 > Dollars{} ? ", " + cost_words(row.plan->cost) : ""));
    break;
  }
  section.blocks.push_back(card.take());
  if (!parts.run.launch.empty()) {
    section.blocks.push_back(TextBlock{"Its scripts are written by"});
    section.blocks.push_back(CodeBlock{"sh", launch_of(parts, pick) + " -o " + parts.run.folder});
  }
  return section;
}

}  // namespace gpuplan
