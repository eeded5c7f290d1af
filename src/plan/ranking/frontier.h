// Plans that no other plan beats in both time and cost.
#pragma once

#include <vector>

#include "plan/answer/plan.h"

namespace gpuplan {

/// Marks the frontier on the medians, names who dominates whom, orders the list (frontier by rising cost, then the rest
/// by how near they come to it) and fills prices of saved time and close calls. Plans that are only `tight` stand
/// outside unless no plan fits. Of exact ties the first of the list (fewer GPUs, then provider, region and
/// instance) is on the frontier.
void mark_frontier(std::vector<Plan>& plans);

/// Whether a frontier plan keeps the job's limits.
bool within_limits(const std::vector<Plan>& plans);

/// For which values of an hour each frontier plan is the best value of those that keep the limits, or of all where none
/// does; REQUIRES: mark_frontier() has ordered the list.
std::vector<ValueRange> value_ranges(const std::vector<Plan>& plans);

}  // namespace gpuplan
