// What the model says of a measured generation run, from its configuration alone.
#pragma once

#include <vector>

#include "domain/catalogue.h"
#include "evidence/generation_run.h"
#include "evidence/generation_setup.h"
#include "evidence/run_prediction.h"

namespace gpuplan {

/// What errors of a figure of this run are counted as.
Judged judged_as(const GenerationSetup& setup, Metric metric);

/// Predicts every figure the run has. Never reads what was measured but to say which figures those are.
RunPrediction predict_generation_run(const Catalogue& catalogue, const GenerationRun& run);

/// The model's terms for that run, as for `plan --explain`; empty when it is refused.
std::vector<Term> explain_generation_run(const Catalogue& catalogue, const GenerationRun& run);

}  // namespace gpuplan
