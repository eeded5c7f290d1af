// What would keep a deadline or budget that no plan keeps.
#pragma once

#include <string>

#include "output/text/json_writer.h"
#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// The best plan with the change: "8x H100 SXM spot".
std::string remedy_plan(const LimitRemedy& remedy);
/// "meets both limits", "meets the deadline", "still late", "still over budget".
std::string limit_verdict(const LimitRemedy& remedy, const Limits& limits);
/// Where nothing fits without the change: "fits", "fits, late".
std::string fit_verdict(const LimitRemedy& remedy);

/// A heading and one line for each change that was tried; empty when there is none.
std::string limit_table(const PlanReport& report, const Screen& screen);

/// The same as an array; empty when the limits are kept.
void write_limit_remedies(JsonWriter& json, const PlanReport& report);

}  // namespace gpuplan
