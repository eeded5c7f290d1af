// What a server that was measured is held against: the plan's latencies, and the target of its phase.
#pragma once

#include <string>
#include <vector>

#include "evidence/check/run_check.h"

namespace gpuplan {

/// TTFT and TPOT where the log has them: means over the requests of a benchmark.
std::vector<RunFigure> latency_figures(const CheckedRun& run);

/// The parts of the target that the figures decide, as criteria beside those of the job.
std::vector<Judgement> judge_target(const CheckedRun& run, const std::vector<RunFigure>& figures);

/// The name of a criterion that is a part of a target.
bool is_target(const std::string& name);

/// What to look at where text is generated more slowly than planned; of a server with the names of its settings.
std::string slow_generation_words(const RunLog& log);

}  // namespace gpuplan
