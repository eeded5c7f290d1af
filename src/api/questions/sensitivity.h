// Which inputs move a plan most: every amount of a question is moved and the job is searched again.
#pragma once

#include "api/questions/question.h"
#include "output/questions/sensitivity_report.h"

namespace gpuplan::api {

/// Moves every amount that the job states, the price of the pick's machine and the model's error, one at a time; what
/// has a range of its own to its ends, the rest by the share `by` down and up. `answer` is what the search found for
/// the question. The job is searched again among the offers of the frontier only. With `most` only so many inputs are
/// moved to both ends: those that move the plan most at their high end; inputs of phases that are next to nothing of
/// its time and cost are not tried.
SensitivityReport sensitivity(const Question& question, const Searched& answer, const Catalogue& catalogue, double by,
                              std::size_t most = 0);

}  // namespace gpuplan::api
