// What is assumed of `collect` phases: engine and batches where the job does not say, and what disks cost.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Adds a sentence for each assumption.
void add_collection_notes(const Job& job, const std::vector<Plan>& plans, std::vector<std::string>& lines);

}  // namespace gpuplan
