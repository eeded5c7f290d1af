#include "output/answer/parts/limit_table.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {

std::string remedy_plan(const LimitRemedy& remedy) {
  return printable(remedy.plan, 60) + (remedy.spot && remedy.plan.find("spot") == std::string::npos ? " spot" : "");
}

std::string limit_verdict(const LimitRemedy& remedy, const Limits& limits) {
  if (!remedy.reaches_target) return "closer, misses the target";
  if (remedy.keeps) {
    if (!limits.deadline && !limits.budget) return "reaches the target";
    if (limits.deadline && limits.budget) return "meets both limits";
    return limits.deadline ? "meets the deadline" : "within budget";
  }
  if (!remedy.meets_deadline && !remedy.meets_budget) return "still late and over budget";
  return remedy.meets_deadline ? "still over budget" : "still late";
}

std::string fit_verdict(const LimitRemedy& remedy) {
  if (!remedy.reaches_target) return "fits, misses the target";
  if (!remedy.meets_deadline) return remedy.meets_budget ? "fits, late" : "fits, late and over budget";
  return remedy.meets_budget ? "fits" : "fits, over budget";
}

std::string limit_table(const PlanReport& report, const Screen& screen) {
  if (report.limit_remedies.empty()) return "";
  Table table({{.title = "CHANGE", .narrowest = 24, .wrap = true},
               {.title = "PLAN", .narrowest = 16},
               {.title = "P90", .align = Align::kRight, .drop = 2, .unit = "hours"},
               {.title = "P90", .align = Align::kRight, .drop = 1, .unit = "cost"},
               {.title = "THEN"}});
  const bool nothing = report.found.plans.empty();
  for (std::size_t i = 0; i < report.limit_remedies.size(); ++i) {
    const LimitRemedy& remedy = report.limit_remedies[i];
    table.add({{i < report.limit_changes.size() ? report.limit_changes[i] : remedy.change},
               {remedy_plan(remedy)},
               {hours_text(remedy.hours.p90)},
               {to_text(remedy.cost.p90)},
               {nothing ? fit_verdict(remedy) : limit_verdict(remedy, report.job.limits),
                remedy.keeps ? Paint::kGreen : Paint::kYellow}});
  }
  const bool more = std::ranges::all_of(
      report.limit_remedies, [](const LimitRemedy& remedy) { return remedy.change.starts_with("where.nodes"); });
  const std::string_view head = !nothing ? "Change one of these:"
                                : more   ? "On more machines as one job it fits:"
                                         : "With one of these changes it fits:";
  return paragraph(std::string(head), screen) + table.text(screen, 4);
}

void write_limit_remedies(JsonWriter& json, const PlanReport& report) {
  json.begin_array();
  for (const LimitRemedy& remedy : report.limit_remedies) {
    json.begin_object().member("change", remedy.change).member("plan", remedy.plan);
    json.member("nodes", remedy.nodes).member("spot", remedy.spot);
    write_outcome(json, "hours", remedy.hours, units::hour);
    write_outcome(json, "cost_usd", remedy.cost, units::dollar);
    json.member("keeps", remedy.keeps).member("meets_deadline", remedy.meets_deadline);
    json.member("meets_budget", remedy.meets_budget).member("reaches_target", remedy.reaches_target).end();
  }
  json.end();
}

}  // namespace gpuplan
