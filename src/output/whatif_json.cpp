// The what-ifs as JSON.
#include "base/text.h"
#include "output/json_writer.h"
#include "output/plan_json_parts.h"
#include "output/whatif_report.h"

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
  json.member("spot", plan->spot).member("gpus", plan->gpus);
  write_outcome(json, "hours", plan->hours, units::hour);
  write_outcome(json, "cost_usd", plan->cost, units::dollar);
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
  const PlanStory& story = *what.story;
  const Plan* base = first.story->pick();
  const Plan* pick = story.pick();
  json.begin_object().member("name", full_name(what)).key("changes").begin_array();
  for (const WhatIfChange& change : what.changes) {
    json.begin_object(true).member("setting", change.typed).member("address", change.address);
    write_text_or_null(json, "before", change.before);
    write_text_or_null(json, "after", change.after);
    json.end();
  }
  json.end();
  write_plan(json, "pick", pick, pick == nullptr ? "" : story.name(*pick));
  if (&what != &first) write_against(json, pick, base);
  std::string words;
  if (pick == nullptr)
    for (const std::string& line : nothing_fits_words(story)) words += (words.empty() ? "" : " ") + line;
  write_text_or_null(json, "nothing_fits", words);
  json.member("limits_missed", story.found.recommendations.limits_missed);
  if (&what != &first) {
    json.member("same_pick", pick != nullptr && pick == what.stays);
    json.key("staying").begin_object();
    write_plan(json, "plan", what.stays, base == nullptr ? "" : first.story->name(*base));
    write_against(json, what.stays, base);
    write_text_or_null(json, "reason", what.stays_not);
    const auto found = what.stays != nullptr && base != nullptr ? doubt(*base, *what.stays) : std::nullopt;
    if (found) {
      json.key("given_does_not_know").begin_object(true);
      json.member("phase", first.story->job.phases[static_cast<std::size_t>(found->phase)].name);
      json.member("time_factor_by_given", found->by_given).member("time_factor_by_model", found->by_model).end();
    } else {
      json.null_member("given_does_not_know");
    }
    json.end();
  }
  json.end();
}

}  // namespace

void write_whatif(JsonWriter& json, const WhatIfReport& report) {
  json.key("base");
  write_case(json, report.cases.front(), report.cases.front());
  json.key("scenarios").begin_array();
  for (std::size_t i = 1; i < report.cases.size(); ++i) write_case(json, report.cases[i], report.cases.front());
  json.end();
}

}  // namespace gpuplan
