#include "output/words/gate_words.h"

#include "base/amount.h"
#include "base/text.h"
#include "output/words/columns.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"
#include "plan/billing/gates.h"

namespace gpuplan {
namespace {

std::string name_at(const PlanReport& report, const Plan& plan, int position) {
  return printable(phase_of(report, plan.phases[static_cast<std::size_t>(position)]).name, 40);
}

std::string end_words(const PlanReport& report, const Plan& plan, const EarlyEnd& end) {
  const std::string passes = name_at(report, plan, end.phase) + " passes " + percent(end.passes) + " of the time";
  if (end.not_run.empty()) return passes + "; nothing waits for it.";
  std::string text = passes + ". If it fails, you stop after " +
                     range_words(Interval<Seconds>{end.hours.p10, end.hours.p50, end.hours.p90});
  if (plan.cost.p50 > Dollars{}) text += " and " + with_range(end.cost);
  return text + ".";
}

std::string expected_words(const Plan& plan, const Gates& gates) {
  if (plan.cost.p50 <= Dollars{})
    return "On average " + hours_words(gates.expected_hours) + " instead of " + hours_words(plan.hours.mean) +
           " (means; the median is " + hours_words(plan.hours.p50) + ").";
  return "On average the gate saves " + to_text(gates.saved) + ": a mean cost of " + to_text(gates.expected_cost) +
         " instead of " + to_text(plan.cost.mean) + " (the median is " + to_text(plan.cost.p50) + ").";
}

}  // namespace

std::vector<std::string> gate_words(const PlanReport& report, const Plan& plan) {
  const auto gates = gates_of(report.job, plan);
  if (!gates) return {};
  std::vector<std::string> lines;
  bool stops = false;
  for (const EarlyEnd& end : gates->ends) {
    lines.push_back(end_words(report, plan, end));
    stops = stops || !end.not_run.empty();
  }
  if (stops) lines.push_back(expected_words(plan, *gates));
  if (gates->ends.size() > 1) lines.push_back("All gates pass " + percent(gates->chance) + " of the time.");
  return lines;
}

void write_gates(JsonWriter& json, const PlanReport& report, const Plan& plan) {
  const auto gates = gates_of(report.job, plan);
  json.member("expected_hours", (gates ? gates->expected_hours : plan.hours.mean) / units::hour);
  json.member("expected_cost_usd", (gates ? gates->expected_cost : plan.cost.mean).value);
  if (!gates) {
    json.null_member("gates");
    return;
  }
  json.key("gates").begin_object().member("chance", gates->chance).member("saved_usd", gates->saved.value);
  json.key("ends").begin_array();
  for (const EarlyEnd& end : gates->ends) {
    json.begin_object().member("phase", phase_of(report, plan.phases[static_cast<std::size_t>(end.phase)]).name);
    json.member("passes", end.passes).member("chance", end.chance);
    write_outcome(json, "hours", end.hours, units::hour);
    write_outcome(json, "cost_usd", end.cost, units::dollar);
    std::vector<std::string> names;
    for (const int position : end.not_run)
      names.push_back(phase_of(report, plan.phases[static_cast<std::size_t>(position)]).name);
    json.member("not_run", names).end();
  }
  json.end().end();
}

}  // namespace gpuplan
