// The first lines of a short answer: what to rent, hours and dollars, how it runs, why.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/words/plan_report.h"

namespace gpuplan {

/// "Recommended: 4x H100 SXM at vast TH (4x-H100_SXM-32-65536), on demand, $8.00/h"; "No plan meets the 2 h deadline.
/// Closest: ..." where none keeps the limits. REQUIRES: there is a pick.
std::string verdict_words(const PlanReport& report);

/// What is said of the pick, one label each: {"Time", "15.4 min (80% range 10.7–23.8)"}, Cost, Run, Why.
std::vector<std::pair<std::string, std::string>> pick_lines(const PlanReport& report);

/// How the pick stands to the deadline, the budget and the target: one line each. The first of limit_words().
std::vector<std::string> asked_words(const PlanReport& report);

/// "the 2 h deadline", "the $50 budget", "the target", or several; empty when the job has none.
std::string limits_asked(const Job& job, const char* last = "and");

}  // namespace gpuplan
