#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/charts/charts.h"
#include "output/report/guide.h"
#include "output/report/report_words.h"
#include "output/words/plan_words.h"

namespace gpuplan {

namespace {

/// Of one phase on machines that are rented for it a timeline is a single bar.
bool has_schedule(const PlanReport& report) {
  const Plan& pick = *report.pick();
  if (pick.phases.size() > 1 || report.job.buffer > 0 || report.job.limits.deadline) return true;
  return pick.phases.front().gpus_used() < pick.phases.front().gpus_billed;
}

/// The charts of a section, in their order.
std::vector<std::optional<Chart>> charts_about(const ReportParts& parts, std::string_view section) {
  const PlanReport& report = parts.plan;
  if (section == "plans") return {cost_time_chart(report)};
  if (section == "memory") return {memory_chart(report, answer_rows(report))};
  if (section == "speed") return {step_time_chart(report)};
  if (section == "bill") return {has_schedule(report) ? schedule_chart(report) : std::nullopt};
  if (section == "risk") return {fan_time_chart(report), fan_cost_chart(report)};
  if (section == "machines") return {price_age_chart(report)};
  if (section == "change" && parts.sensitivity != nullptr) return {tornado_chart(*parts.sensitivity)};
  return {};
}

/// Where nothing is known that would stop it, what is open is how long it takes and what it costs.
std::string no_risk_words(const PlanReport& report) {
  const Plan& pick = *report.pick();
  const std::string time = time_range(pick.hours), cost = cost_range(pick.cost);
  if (pick.fit == Fit::kTight || !availability_words(report).empty() || time.empty()) return "";
  return "Nothing is known that would stop it; 8 in 10 runs take " + time + (cost.empty() ? "" : " and cost " + cost) +
         ".";
}

/// What the job is for, Markdown: its first paragraph stands in the head, the rest under what runs.
struct Purpose {
  std::string head, rest;
};

/// Whether a line begins something else than a paragraph: a heading, a list, a table, a fence, code.
bool begins_block(std::string_view line) {
  if (line.starts_with("    ") || line.starts_with('\t')) return true;
  line = trim(line);
  if (line.starts_with("```") || line.starts_with("~~~")) return true;
  if (line.starts_with("**") || line.starts_with("__")) return false;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  if (digits > 0) return line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") ");
  return !line.empty() && std::string_view("#>|").contains(line.front())     ? true
         : line.size() > 1 && std::string_view("-*+").contains(line.front()) ? line[1] == ' ' || line[1] == line[0]
                                                                             : false;
}

Purpose purpose_of(const std::string& markdown) {
  constexpr std::size_t kLongest = 1'200;
  if (markdown.empty() || begins_block(markdown.substr(0, markdown.find('\n')))) return {"", markdown};
  std::size_t end = 0;
  while (end < markdown.size()) {
    const std::size_t next = std::min(markdown.find('\n', end), markdown.size());
    const std::string_view line = std::string_view(markdown).substr(end, next - end);
    if (trim(line).empty() || (end > 0 && begins_block(line) && !line.starts_with(' '))) break;
    end = std::min(next + 1, markdown.size());
  }
  if (end > kLongest) return {"", markdown};
  return {std::string(trim(markdown.substr(0, end))), markdown.substr(end)};
}

}  // namespace

std::vector<ReportBlock> chart_blocks(const ReportParts& parts, std::string_view section) {
  std::vector<ReportBlock> blocks;
  if (parts.plan.pick() == nullptr) return blocks;
  for (std::optional<Chart>& chart : charts_about(parts, section)) {
    if (!chart) continue;
    std::string file = parts.charts.empty() ? std::string() : parts.charts + "/" + chart->key + ".svg";
    blocks.push_back(ChartBlock{*std::move(chart), std::move(file)});
  }
  return blocks;
}

ReportDocument report_document(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportDocument document;
  const JobProse& prose = report.job.prose;
  document.head.title = printable(prose.title.empty() ? report.job.name + ": how to run it" : prose.title, 300);
  const Purpose purpose = purpose_of(prose.purpose);
  document.head.goal = purpose.head;
  if (purpose.head.empty() && report.job.phases.size() == 1)
    document.head.goal = guide_text(upper_first(phase_words(report.job.phases.front())) + ".");
  document.head.made = report.today;
  document.head.version = parts.version;
  document.head.prices = prices_words(report);
  // Prices of what is recommended may be older than the newest, which the words above tell of some.
  if (report.pick() != nullptr) {
    std::string oldest;
    for (const PhasePlan& part : report.pick()->phases)
      if (part.offer != nullptr && !part.offer->as_of.empty() && (oldest.empty() || part.offer->as_of.str() < oldest))
        oldest = part.offer->as_of.str();
    const bool told = document.head.prices.contains("'s price from ");
    if (!told && !oldest.empty() && !report.found.as_of.empty() && oldest < report.found.as_of)
      document.head.prices += "; of the recommended machines from " + printable(oldest, 20);
  }
  document.head.command = parts.command;
  using Make = ReportSection (*)(const ReportParts&);
  constexpr Make kFound[] = {answer_section, choice_section,   work_section,  machines_section,
                             memory_section, speed_section,    plans_section, each_plan_section,
                             bill_section,   risk_section,     run_section,   trouble_section,
                             change_section, fallback_section, card_section,  basis_section};
  constexpr Make kNothing[] = {nothing_section, work_section, basis_section};
  const auto add = [&](Make make) {
    ReportSection section = make(parts);
    std::vector<ReportBlock> charts = chart_blocks(parts, section.key);
    if (section.finding.empty() && section.key == "risk" && !charts.empty()) section.finding = no_risk_words(report);
    section.blocks.insert(section.blocks.begin(), std::make_move_iterator(charts.begin()),
                          std::make_move_iterator(charts.end()));
    if (section.key == "work" && !trim(purpose.rest).empty())
      section.blocks.insert(section.blocks.begin(), ProseBlock{purpose.rest});
    if (std::optional<LinksBlock> links = script_links(parts, section.key))
      section.blocks.emplace_back(*std::move(links));
    std::vector<ReportBlock> words = prose_blocks(report.job, section.key);
    section.blocks.insert(section.blocks.end(), std::make_move_iterator(words.begin()),
                          std::make_move_iterator(words.end()));
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
