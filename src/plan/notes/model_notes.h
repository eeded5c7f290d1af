// What a reader has to know of the models of a job before believing a figure.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"

namespace gpuplan {

/// A sentence for each model whose description says what its shape does not hold, or that the job uses in a way its
/// weights do not allow as they are.
std::vector<std::string> model_notes(const Job& job);

}  // namespace gpuplan
