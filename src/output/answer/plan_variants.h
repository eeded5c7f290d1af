// The variants of a job side by side: for each the plan that would be picked.
#pragma once

#include <string>

#include "output/text/json_writer.h"
#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// A heading and one line for the job as it stands and for each variant; REQUIRES: the report has variants.
std::string variants_table(const PlanReport& report, const Screen& screen);

/// [{"name", "settings": {ADDRESS: VALUE}, "pick": null or {"id", "label", "hours", "cost_usd", ...}, "limits_missed"}]
void write_variants(JsonWriter& json, const PlanReport& report);

}  // namespace gpuplan
