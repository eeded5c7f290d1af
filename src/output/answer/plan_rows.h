// Which plans of a long list a table shows.
#pragma once

#include <vector>

#include "output/words/plan_report.h"

namespace gpuplan {

/// For each plan whether it is shown: the frontier and the pick, with `all` every plan, `most` of them (0: ten, and
/// with `all` no end). When there are more, those go first that an answer speaks of: the pick, both ends of the
/// frontier, what other rules and values of an hour would choose; then the neighbours of the pick.
std::vector<bool> plan_rows(const PlanReport& report, bool all, int most);

}  // namespace gpuplan
