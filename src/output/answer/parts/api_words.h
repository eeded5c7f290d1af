// A job of generation done by somebody's API instead, in a sentence and in JSON.
#pragma once

#include <string>

#include "output/words/plan_report.h"

namespace gpuplan {

class JsonWriter;

/// "API: $0.97 at openrouter ($0.05 a million tokens in, $0.24 out, 2026-08), against $2.96 here. Renting is cheaper
/// from 45M output tokens on."; where no API is known what a million tokens cost on the plan's machines; empty of a
/// plan that does not only generate.
std::string api_words(const PlanReport& report, const Plan& plan);
/// The same as members "usd_per_1m_output_tokens" and "api" of an open object; null where there is nothing to tell.
void write_api(JsonWriter& json, const PlanReport& report, const Plan& plan);

}  // namespace gpuplan
