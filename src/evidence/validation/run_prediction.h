// What the model says of a measured run, from its configuration alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/validation/figure.h"
#include "evidence/validation/training_run.h"
#include "model/generation/generation.h"
#include "model/training/training.h"

namespace gpuplan {

struct RunPrediction {
  std::vector<MetricPrediction> metrics;  ///< one for each figure measured; empty when refused
  std::string refused;                    ///< why nothing can be computed; "" when something was
  std::vector<std::string> assumptions;   ///< what was not stated and had to be assumed, in words
  const Gpu* gpu = nullptr;
  const Framework* framework = nullptr;
  int nodes = 1;
  double parameters = 0;
  Method method = Method::kFull;  ///< of a training run
  Strategy strategy;
  TrainingEstimate estimate;      ///< of a training run
  GenerationEstimate generation;  ///< of a generation run
  Spread spread;
};

/// What a figure of that kind counts of it, in GiB.
double memory_of_kind(const MemoryUse& use, MemoryKind kind);

/// The same labels with names that live as long as the GPU, which is the one that they name.
ErrorLabels with_names_of(ErrorLabels labels, const Gpu& gpu);

/// Predicts every figure the run has. Never reads what was measured but to say which figures those are.
RunPrediction predict_run(const Catalogue& catalogue, const TrainingRun& run);

/// The model's terms for that run, as for `plan --explain`; empty when it is refused.
std::vector<Term> explain_run(const Catalogue& catalogue, const TrainingRun& run);

}  // namespace gpuplan
