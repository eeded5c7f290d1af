// The what-ifs for other programs: JSON and CSV.
#include <array>

#include "base/text.h"
#include "output/questions/whatif_report.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

std::string full_name(const WhatIfCase& what) {
  return what.title + (what.title.empty() || what.settings.empty() ? "" : ", ") + join(what.settings, ", ");
}

void write_plan(JsonWriter& json, std::string_view name, const Plan* plan, const std::string& called) {
  if (plan == nullptr) {
    json.null_member(name);
    return;
  }
  json.key(name).begin_object();
  json.member("id", plan->id).member("label", plan->label).member("name", called);
  json.member("spot", all_spot(*plan)).member("gpus", plan->gpus);
  write_outcome(json, "hours", plan->hours, units::hour);
  write_interval(json, "wait_hours", plan->wait, units::hour);
  write_outcome(json, "cost_usd", plan->cost, units::dollar);
  write_text_or_null(json, "prices_as_of", std::string(oldest_price(*plan)));
  json.member("gpu_hours", plan->gpu_hours).member("billed_gpu_hours", plan->billed_gpu_hours);
  if (const PhasePlan* fullest = plan->fullest(); fullest != nullptr) write_memory(json, fullest->estimate);
  else json.null_member("memory_gib");
  json.member("fit", name_of(plan->fit)).member("evidence", name_of(plan->evidence));
  json.member("chance_in_time", plan->chance_in_time);
  json.member("meets_deadline", plan->meets_deadline).member("meets_budget", plan->meets_budget).end();
}

/// Factors are null where the job as it stands takes no time or costs nothing.
void write_against(JsonWriter& json, const Plan* plan, const Plan* base) {
  if (plan == nullptr || base == nullptr) {
    json.null_member("against_base");
    return;
  }
  const auto factor = [](double after, double before) {
    return before > 0 ? std::optional(after / before) : std::nullopt;
  };
  json.key("against_base").begin_object(true);
  json.member("hours_factor", factor(plan->hours.p50.value, base->hours.p50.value));
  json.member("hours_difference", (plan->hours.p50 - base->hours.p50) / units::hour);
  json.member("cost_factor", factor(plan->cost.p50.value, base->cost.p50.value));
  json.member("cost_usd_difference", (plan->cost.p50 - base->cost.p50) / units::dollar).end();
}

void write_case(JsonWriter& json, const WhatIfCase& what, const WhatIfCase& first) {
  const PlanReport& plan_report = *what.plan_report;
  const Plan* base = first.plan_report->pick();
  const Plan* pick = plan_report.pick();
  json.begin_object().member("name", full_name(what)).key("changes").begin_array();
  for (const WhatIfChange& change : what.changes) {
    json.begin_object(true).member("setting", change.typed).member("address", change.address);
    write_text_or_null(json, "before", change.before);
    write_text_or_null(json, "after", change.after);
    json.end();
  }
  json.end();
  write_plan(json, "pick", pick, pick == nullptr ? "" : plan_report.name(*pick));
  if (&what != &first) write_against(json, pick, base);
  std::string words;
  if (pick == nullptr)
    for (const std::string& line : nothing_fits_words(plan_report)) words += (words.empty() ? "" : " ") + line;
  write_text_or_null(json, "nothing_fits", words);
  json.member("limits_missed", plan_report.found.recommendations.limits_missed);
  if (&what != &first) {
    json.member("same_pick", pick != nullptr && pick == what.stays && base != nullptr && rented_alike(*pick, *base));
    json.key("staying").begin_object();
    write_plan(json, "plan", what.stays, what.stays == nullptr ? "" : plan_report.name(*what.stays));
    write_against(json, what.stays, base);
    write_text_or_null(json, "reason", what.stays_not);
    const auto found = what.stays != nullptr && base != nullptr ? doubt(*base, *what.stays) : std::nullopt;
    if (found) {
      json.key("given_does_not_know").begin_object(true);
      json.member("phase", first.plan_report->job.phases[static_cast<std::size_t>(found->phase)].name);
      json.member("time_factor_by_given", found->by_given).member("time_factor_by_model", found->by_model).end();
    } else {
      json.null_member("given_does_not_know");
    }
    json.end();
  }
  json.end();
}

/// Hours, cost and factors of a plan, or empty cells.
void add_figures(std::vector<Cell>& row, const Plan* plan, const Plan* base) {
  const auto add = [&](bool known, double figure) { row.push_back(known ? Cell(figure) : Cell()); };
  const bool there = plan != nullptr;
  const bool compared = there && base != nullptr;
  for (const Seconds time :
       there ? std::array{plan->hours.p50, plan->hours.p10, plan->hours.p90} : std::array<Seconds, 3>{})
    add(there, time / units::hour);
  add(compared && base->hours.p50 > Seconds{}, compared ? plan->hours.p50 / base->hours.p50 : 0);
  for (const Dollars cost :
       there ? std::array{plan->cost.p50, plan->cost.p10, plan->cost.p90} : std::array<Dollars, 3>{})
    add(there, cost / units::dollar);
  add(compared && base->cost.p50 > Dollars{}, compared ? plan->cost.p50 / base->cost.p50 : 0);
  const PhasePlan* fullest = there ? plan->fullest() : nullptr;
  add(fullest != nullptr, fullest != nullptr ? fullest->estimate->memory_total.p50 / units::GiB : 0);
  row.emplace_back(there ? limits_words(*plan) : std::string());
  add(there && plan->wait.p50 > Seconds{}, there ? plan->wait.p50 / units::hour : 0);
}

}  // namespace

std::string whatif_csv(const WhatIfReport& report) {
  std::vector<Column> columns{{.title = "", .key = "scenario"}, {.title = "", .key = "plan"}};
  for (const std::string before : {"", "staying_"})
    for (const char* key : {"hours", "hours_p10", "hours_p90", "hours_factor", "cost_usd", "cost_usd_p10",
                            "cost_usd_p90", "cost_factor", "memory_gib", "limits", "wait_hours"})
      columns.push_back({.title = "", .key = before + key});
  Table table(std::move(columns));
  const WhatIfCase& first = report.cases.front();
  const Plan* base = first.plan_report->pick();
  for (const WhatIfCase& each : report.cases) {
    const Plan* pick = each.plan_report->pick();
    std::vector<Cell> row{{printable(full_name(each))},
                          {pick == nullptr ? std::string() : each.plan_report->name(*pick)}};
    add_figures(row, pick, base);
    add_figures(row, &each == &first ? base : each.stays, base);
    table.add(std::move(row));
  }
  return table.csv();
}

void write_whatif(JsonWriter& json, const WhatIfReport& report) {
  json.key("market").begin_object(true);
  write_price_age(json, *report.cases.front().plan_report);
  json.end().key("base");
  write_case(json, report.cases.front(), report.cases.front());
  json.key("scenarios").begin_array();
  for (std::size_t i = 1; i < report.cases.size(); ++i) write_case(json, report.cases[i], report.cases.front());
  json.end();
}

}  // namespace gpuplan
