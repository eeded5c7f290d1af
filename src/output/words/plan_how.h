// How a plan runs: the offer it takes, then each phase with its strategy, hours and dollars.
#pragma once

#include <string>

#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// Lines for a terminal. `memory`: say what a GPU's memory holds, for want of a column that does.
std::string how_text(const PlanReport& report, const Plan& plan, const Screen& screen, bool memory);

/// "8x H100 SXM at lambda us-east-1, gpu_8x_h100_sxm5, on demand: $23.92/h for 8 GPUs, billed by the minute, price of
/// 2026-04"; empty for plans of several offers.
std::string offer_words(const Plan& plan);

}  // namespace gpuplan
