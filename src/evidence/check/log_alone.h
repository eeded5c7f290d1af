// What a log says without a plan: what it would be held against, were the plan the steps that it names itself.
#pragma once

#include "evidence/check/run_check.h"

namespace gpuplan {

/// Steps, figures, how it ended, and what is left of the steps that the log itself plans. Conditions, predictions and
/// costs are none.
RunCheck check_alone(const RunLog& log);

}  // namespace gpuplan
