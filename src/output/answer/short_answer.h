// What `gpuplan plan` prints unless asked for more: the answer, a handful of plans, what is worth knowing, and how to
// see the rest.
#pragma once

#include <string>
#include <vector>

#include "output/text/style.h"
#include "output/words/plan_report.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

/// On a screen of 100 columns no more lines than data/answer_constants.csv allows; ends in a line feed. `remedies` are
/// shown when nothing fits.
std::string short_answer(const PlanReport& report, const Screen& screen, const std::vector<Remedy>& remedies = {});

}  // namespace gpuplan
