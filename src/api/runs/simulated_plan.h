// A plan of a job on machines that can be taken away, as a simulation.
#pragma once

#include <string>
#include <vector>

#include "api/questions/question.h"
#include "api/runs/simulate_words.h"
#include "api/runs/spot_traces.h"
#include "output/questions/simulate_report.h"

namespace gpuplan::api {

struct SimulatedPlan {
  SimulateReport report{};                  ///< without results; with the job's name alone where nothing fits
  std::vector<std::string> nothing_fits{};  ///< why there is nothing to simulate, a sentence each
};

/// The pick or the plan asked for, on machines that have a spot price. The report's notes say what had to be assumed.
/// `wishes`: those that the question was read with; a rate of interruptions among them goes before the market's.
Result<SimulatedPlan> simulated_plan(Question question, const SimulateWords& words, const Wishes& wishes,
                                     const SpotTexts& texts, const Catalogue& catalogue);

}  // namespace gpuplan::api
