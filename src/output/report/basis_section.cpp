// The end of a report: what it rests on, and where its parts are.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_head.h"
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
  for (const Fallback& row : report.stand_ins()) add_plan(*row.plan);
  for (const Decision& row :
       decisions_of(report.job, report.found.plans, report.found.recommendations, report.compared()))
    if (row.plan) add_plan(report.plan(*row.plan));
  return offers;
}

/// Where the prices of these offers come from; how many more sources there are.
std::vector<std::string> price_sources(const PlanReport& report) {
  std::vector<std::string> sources, lines;
  if (report.pick() == nullptr) sources = report.found.sources;
  else
    for (const Offer* offer : offers_told(report))
      if (!offer->source.empty() && std::ranges::find(sources, offer->source.str()) == sources.end())
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
  std::vector<std::string> lines = assumptions_told(report);
  // The heading says it.
  constexpr std::string_view kAssumed = "Assumed: ";
  if (const std::string value = assumed_value_words(report); !value.empty())
    lines.push_back(value.starts_with(kAssumed) ? value.substr(kAssumed.size()) : value);
  // Those of the answer are among all of them.
  for (const std::string& line : asked_words(report))
    if (line.starts_with(kAssumed)) {
      std::string rest = line.substr(kAssumed.size());
      if (std::ranges::find(lines, rest) == lines.end()) lines.push_back(std::move(rest));
    }
  // What is kept on disks stands in the answer.
  const std::vector<std::string> kept = kept_checkpoint_words(report);
  for (const std::string& line : beside_words(report))
    if (std::ranges::find(kept, line) == kept.end()) lines.push_back(line);
  section.finding =
      lines.empty() ? std::string() : count_of(static_cast<double>(lines.size()), "assumption") + " made for you.";
  if (!lines.empty()) {
    section.blocks.push_back(TextBlock{"Assumed", true});
    add_list(section, lines);
  }
  std::vector<std::string> searched;
  // Where nothing fits the answer says it.
  if (report.found.market.used > 0 && pick != nullptr) searched.push_back(tally_words(report));
  if (const std::string market = market_words(report); !market.empty() && pick != nullptr) searched.push_back(market);
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
  constexpr std::string_view kPhaseScripts = "phases/";
  if (!parts.run.scripts.empty()) {
    TableMaker scripts("scripts", "Scripts, in the folder " + parts.run.folder,
                       {{"path", "File", false}, {"use", "What for", false}});
    std::size_t alone = 0;
    for (const RunPart::Script& script : parts.run.scripts)
      if (script.path.starts_with(kPhaseScripts)) ++alone;
      else scripts.add({{script.path}, {script.use}});
    if (alone > 0)
      scripts.add({{std::string(kPhaseScripts) + "*.sh"},
                   {(alone == 1 ? "the phase" : "each of the " + count_of(static_cast<double>(alone), "phase")) +
                    " alone, on the machine where it is started; to read what runs"}});
    section.blocks.push_back(scripts.take());
  }
  return section;
}

}  // namespace gpuplan
