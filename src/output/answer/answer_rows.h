// Which plans a short answer compares, and what it calls them.
#pragma once

#include <string>
#include <vector>

#include "output/words/plan_report.h"

namespace gpuplan {

/// The pick, the cheapest and the fastest plan that somebody might take in its place, then those most likely to be the
/// best; at most as many as data/answer_constants.csv says, cheapest first. A plan is worth a row while what an hour
/// of it costs or saves against the pick is not far from what the job says that an hour is worth.
std::vector<const Plan*> answer_rows(const PlanReport& report);

/// "cheapest", "fastest", "OOM risk", "misses deadline"; several with commas. True of the whole answer, not only of
/// the rows beside it.
std::string row_remark(const PlanReport& report, const Plan& plan);

/// "Not shown: fastest 8x B300, 11 min, $13.20." Empty when both ends are.
std::string others_words(const PlanReport& report, const std::vector<const Plan*>& shown);

/// "4x RTX 5090 spot": the plan's label, with the word spot where it stands for nothing else.
std::string label_of(const Plan& plan);

}  // namespace gpuplan
