// Work and prices without a job, as a simulation.
#pragma once

#include <cstdint>

#include "api/runs/simulate_words.h"
#include "api/runs/spot_traces.h"
#include "output/questions/simulate_report.h"

namespace gpuplan::api {

/// The report without results. Deadline, interruptions, goal and value of time are those of `wishes`.
Result<SimulateReport> simulated_work(const SimulateWords& words, const Wishes& wishes, const SpotTexts& texts);

}  // namespace gpuplan::api
