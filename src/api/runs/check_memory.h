// What would need less memory than a run that ran out of it.
#pragma once

#include <string>
#include <vector>

#include "api/questions/question.h"
#include "evidence/check/diagnosis.h"
#include "evidence/check/run_check.h"

namespace gpuplan::api {

/// What the model makes of the phase on the same GPUs with half the micro-batch, and with full recomputation. `asked`:
/// the settings of the question.
std::vector<MemoryTrial> memory_trials(const Question& question, const std::vector<std::string>& asked,
                                       const CheckedRun& run, const Catalogue& catalogue);

}  // namespace gpuplan::api
