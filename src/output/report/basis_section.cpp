// The end of a report: all of it on a card, what it rests on, and where its parts are.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/report/report_words.h"
#include "output/words/beside_words.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/problem_words.h"
#include "plan/notes/known_problems.h"

namespace gpuplan {
namespace {

TableBlock card(const ReportParts& parts, const Plan& pick) {
  const PlanReport& report = parts.plan;
  TableMaker table("card", "Summary", {{"what", "What", false}, {"value", "Value", false}});
  const auto row = [&](const char* what, const std::string& value) {
    if (!value.empty()) table.add({{what}, {value}});
  };
  row("Take", report.name(pick));
  row("From", offer_words(pick));
  row("Time", with_range(hours_words(pick.hours.p50), time_range(pick.hours)));
  row("Cost", pick.cost.p90 <= Dollars{} ? "no charge" : with_range(cost_words(pick.cost), cost_range(pick.cost)));
  if (report.job.contingency > Dollars{})
    row("Set aside", bill_money(pick.cost.p50 + report.job.contingency, pick.cost.p50));
  if (pick.billed_gpu_hours > 0)
    row("GPU-hours", rate_text(pick.gpu_hours) + " used of " + rate_text(pick.billed_gpu_hours));
  row("Memory per GPU", pick.fullest() == nullptr ? "" : memory_words(pick));
  if (pick.chance_in_time) row("Deadline", chance_words(*pick.chance_in_time) + " chance to meet it");
  if (pick.chance_in_budget) row("Budget", chance_words(*pick.chance_in_budget) + " chance to stay within it");
  if (pick.spot) row("Interruption", chance_words(pick.chance_of_interruption()) + " chance");
  row("Prices", prices_words(report));
  return table.take();
}

}  // namespace

ReportSection basis_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportSection section{"basis", "What does this rest on?", "", {}};
  const Plan* pick = report.pick();
  if (pick != nullptr) section.blocks.push_back(card(parts, *pick));
  std::vector<std::string> lines = report.job.from_config;
  lines.insert(lines.end(), report.found.assumptions.begin(), report.found.assumptions.end());
  if (const std::string value = assumed_value_words(report); !value.empty()) lines.push_back(value);
  if (pick != nullptr)
    for (const std::string& line : beside_words(report)) lines.push_back(line);
  section.finding =
      lines.empty() ? std::string() : count_of(static_cast<double>(lines.size()), "assumption") + " made for you.";
  if (!lines.empty()) {
    section.blocks.push_back(TextBlock{"Assumed", true});
    add_list(section, lines);
  }
  std::vector<std::string> searched;
  if (report.found.market.used > 0) searched.push_back(tally_words(report));
  if (const std::string market = market_words(report); !market.empty()) searched.push_back(market);
  if (!searched.empty()) section.blocks.push_back(TextBlock{"Searched", true});
  add_list(section, searched);
  std::vector<std::string> sources;
  for (const std::string& source : report.found.sources) sources.push_back("Prices: " + printable(source, 200));
  if (pick != nullptr)
    for (const TouchedPhases& touched : known_problems(*pick, report.job, report.catalogue))
      sources.push_back(touched.problem->what + ": " + touched.problem->source +
                        (touched.problem->as_of.empty() ? "" : ", " + touched.problem->as_of));
  if (!sources.empty()) {
    section.blocks.push_back(TextBlock{"Sources", true});
    add_list(section, sources);
  }
  if (!parts.run.scripts.empty()) {
    TableMaker scripts("scripts", "Scripts, in the folder " + parts.run.folder,
                       {{"path", "File", false}, {"use", "What for", false}});
    for (const RunPart::Script& script : parts.run.scripts) scripts.add({{script.path}, {script.use}});
    section.blocks.push_back(scripts.take());
  }
  return section;
}

}  // namespace gpuplan
