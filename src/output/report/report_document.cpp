#include <utility>

#include "base/text.h"
#include "output/report/report_words.h"
#include "output/words/plan_words.h"

namespace gpuplan {

ReportProse prose_of(const Job&) { return {}; }

std::vector<ReportBlock> charts_of(const ReportParts&, std::string_view) { return {}; }

ReportDocument report_document(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportDocument document;
  document.head.title = parts.prose.title.value_or(printable(report.job.name, 300) + ": how to run it");
  document.head.goal = parts.prose.goal.value_or(
      report.job.phases.size() == 1 ? upper_first(phase_words(report.job.phases.front())) + "." : std::string());
  document.head.made = report.today;
  document.head.version = parts.version;
  document.head.prices = prices_words(report);
  document.head.command = parts.command;
  using Make = ReportSection (*)(const ReportParts&);
  constexpr Make kFound[] = {answer_section, choice_section,  work_section,      machines_section, memory_section,
                             speed_section,  plans_section,   each_plan_section, bill_section,     risk_section,
                             run_section,    trouble_section, change_section,    fallback_section, basis_section};
  constexpr Make kNothing[] = {nothing_section, work_section, basis_section};
  const auto add = [&](Make make) {
    ReportSection section = make(parts);
    std::vector<ReportBlock> charts = charts_of(parts, section.key);
    section.blocks.insert(section.blocks.begin(), std::make_move_iterator(charts.begin()),
                          std::make_move_iterator(charts.end()));
    document.sections.push_back(std::move(section));
  };
  if (report.pick() != nullptr)
    for (const Make make : kFound) add(make);
  else
    for (const Make make : kNothing) add(make);
  tidy(document);
  return document;
}

}  // namespace gpuplan
