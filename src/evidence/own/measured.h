// What a log says of a run, put into the row of its plan.
#pragma once

#include <string>

#include "base/result.h"
#include "evidence/check/run_check.h"
#include "evidence/log/run_log.h"
#include "evidence/own/planned_run.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Fills in the figures that the log states: time, rate, memory. Fails, with what is missing, for the log of another
/// job, a run that did not end well, too few steps, clocks that go backwards, and a log without a figure that counts.
Result<void> set_measured(const RunCheck& check, const RunLog& log, const PhaseEstimate& planned, AnyRun& run);

}  // namespace gpuplan
