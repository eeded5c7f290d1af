#include "output/answer/plan_variants.h"

#include "base/amount.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// "where.spot: never, schedule: keep".
std::string settings_words(const VariantReport& variant) {
  std::string text;
  for (const auto& [address, value] : variant.settings)
    text += (text.empty() ? "" : ", ") + printable(address, 80) + ": " + printable(value, 80);
  return text.empty() ? "nothing" : text;
}

void add(const std::string& name, const Plan* pick, const std::string& plan, bool limits_missed,
         const std::string& changes, Table& table) {
  if (pick == nullptr) {
    table.add({{printable(name, 40)}, {"nothing fits", Paint::kYellow}, {}, {}, {}, {}, {}, {changes, Paint::kDim}});
    return;
  }
  std::string remarks = limits_missed ? "misses a limit" : "";
  if (pick->fit == Fit::kTight) remarks += remarks.empty() ? "OOM risk" : ", OOM risk";
  table.add({{printable(name, 40)},
             {plan},
             {hours_text(pick->hours.p50)},
             {outcome_text(pick->hours), Paint::kDim},
             {to_text(pick->cost.p50)},
             {outcome_text(pick->cost), Paint::kDim},
             {remarks, Paint::kYellow},
             {changes, Paint::kDim}});
}

}  // namespace

std::string variants_table(const PlanReport& report, const Screen& screen) {
  Table table({{.title = "VARIANT", .narrowest = 20},
               {.title = "PLAN", .narrowest = 16, .wrap = true},
               {.title = "HOURS", .align = Align::kRight},
               {.title = kRangeHead, .align = Align::kRight, .drop = 2, .around = kRangeDash},
               {.title = "COST", .align = Align::kRight},
               {.title = kRangeHead, .align = Align::kRight, .drop = 3, .around = kRangeDash},
               {.title = "REMARKS", .drop = 1},
               {.title = "WHAT CHANGES", .narrowest = 16, .wrap = true}});
  const Plan* pick = report.pick();
  add("this job", pick, pick == nullptr ? "" : report.name(*pick), report.found.recommendations.limits_missed, "",
      table);
  for (const VariantReport& variant : report.variants)
    add(variant.name, variant.pick ? &*variant.pick : nullptr, variant.plan, variant.limits_missed,
        settings_words(variant), table);
  return paragraph("Variants:", screen) + table.text(screen, 4);
}

void write_variants(JsonWriter& json, const PlanReport& report) {
  json.begin_array();
  for (const VariantReport& variant : report.variants) {
    json.begin_object().member("name", variant.name).key("settings").begin_object(true);
    for (const auto& [address, value] : variant.settings) json.member(address, value);
    json.end();
    if (variant.pick) {
      const Plan& pick = *variant.pick;
      json.key("pick").begin_object();
      json.member("id", pick.id).member("label", pick.label).member("name", variant.plan);
      write_outcome(json, "hours", pick.hours, units::hour);
      write_outcome(json, "cost_usd", pick.cost, units::dollar);
      json.member("gpu_hours", pick.gpu_hours).member("billed_gpu_hours", pick.billed_gpu_hours);
      json.member("evidence", name_of(pick.evidence)).member("fit", name_of(pick.fit));
      json.member("kept", pick.kept).member("spot", all_spot(pick)).member("idle_usd", pick.idle.value);
      json.member("chance_in_time", pick.chance_in_time).member("chance_in_budget", pick.chance_in_budget).end();
    } else {
      json.null_member("pick");
    }
    json.member("limits_missed", variant.limits_missed).end();
  }
  json.end();
}

}  // namespace gpuplan
