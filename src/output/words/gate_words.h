// What the gates of a job do to a plan's hours and dollars, in sentences and in JSON.
#pragma once

#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// One sentence for each gate, then what is to be expected; empty when every phase is sure to pass.
std::vector<std::string> gate_words(const PlanReport& report, const Plan& plan);

/// The same as members of a plan: "expected_hours" and "expected_cost_usd" (its means when it has no gate), and
/// "gates": null or {"chance", "saved_usd", "ends": [{"phase", "passes", "chance", "hours", "cost_usd", "not_run"}]}.
void write_gates(JsonWriter& json, const PlanReport& report, const Plan& plan);

}  // namespace gpuplan
