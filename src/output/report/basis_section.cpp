// The end of a report: all of it on a card, what it rests on, and where its parts are.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/plan_rows.h"
#include "output/report/report_words.h"
#include "output/words/beside_words.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/problem_words.h"
#include "plan/notes/known_problems.h"
#include "plan/ranking/decisions.h"
#include "plan/ranking/fallback.h"

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

/// Offers of the plans that a reader meets: of the tables of plans, wishes, stand-ins and prices.
std::vector<const Offer*> offers_told(const PlanReport& report) {
  std::vector<const Offer*> offers;
  const auto add = [&](const Offer* offer) {
    if (offer != nullptr && std::ranges::find(offers, offer) == offers.end()) offers.push_back(offer);
  };
  const auto add_plan = [&](const Plan& plan) {
    for (const PhasePlan& part : plan.phases) add(part.offer);
  };
  for (const Plan& plan : report.found.plans) {  // in the order of prices_view()
    if (offers.size() >= kViewRows) break;
    add_plan(plan);
  }
  const std::vector<bool> shown = plan_rows(report, true, kMostPlans);
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] || report.found.plans[i].on_frontier) add_plan(report.found.plans[i]);
  for (const Plan* plan : answer_rows(report)) add_plan(*plan);
  for (const Fallback& row : fallback_order(report.job, report.found, report.compared())) add_plan(*row.plan);
  for (const Decision& row : decisions_of(report.job, report.found.plans, report.found.recommendations))
    if (row.plan) add_plan(report.plan(*row.plan));
  return offers;
}

/// Where the prices of these offers come from; how many more sources there are.
std::vector<std::string> price_sources(const PlanReport& report) {
  std::vector<std::string> sources, lines;
  if (report.pick() == nullptr) sources = report.found.sources;
  else
    for (const Offer* offer : offers_told(report))
      if (!offer->source.empty() && std::ranges::find(sources, offer->source) == sources.end())
        sources.push_back(offer->source);
  std::ranges::sort(sources);
  for (const std::string& source : sources) lines.push_back("Prices: " + printable(source, 200));
  if (report.found.sources.size() > sources.size())
    lines.push_back("Prices of offers that no table names: " +
                    count_of(static_cast<double>(report.found.sources.size() - sources.size()), "more source") +
                    ", in data/offers.csv or the price lists of the command.");
  return lines;
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
  std::vector<std::string> sources = price_sources(report);
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
