// What the model says of a measured generation run, from its configuration alone.
#pragma once

#include <optional>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/validation/generation_run.h"
#include "evidence/validation/generation_setup.h"
#include "evidence/validation/run_prediction.h"

namespace gpuplan {

/// The figures that the run states, in their own units, by what their errors are counted as.
FigureList measured_figures(const GenerationRun& run);

/// A run whose setup and work are made once, to be predicted with other constants again and again. Stays where it is:
/// its parts refer to each other, and to the catalogue and run it was made from.
class PreparedGeneration {
 public:
  PreparedGeneration(const Catalogue& catalogue, const GenerationRun& run);
  PreparedGeneration(const PreparedGeneration&) = delete;
  PreparedGeneration& operator=(const PreparedGeneration&) = delete;

  const GenerationRun& run() const { return *run_; }
  RunPrediction predict(const Catalogue& catalogue) const;
  std::vector<Term> explain(const Catalogue& catalogue) const;

 private:
  /// The engine's on the run's machines; nullopt: it does not run such formats there.
  std::optional<GenerationRates> rates(const Catalogue& catalogue) const;

  double rate_of_work(const GenerationEstimate& estimate) const;

  const GenerationRun* run_;
  GenerationSetup setup_;
  GenerationWork work_;
  std::optional<GeneratePhase> kept_phase_;  ///< a phase that only reads prompts, with their cache kept
  std::optional<GenerationWork> kept_work_;
};

/// Predicts every figure the run has. Never reads what was measured but to say which figures those are.
RunPrediction predict_generation_run(const Catalogue& catalogue, const GenerationRun& run);

/// The model's terms for that run, as for `plan --explain`; empty when it is refused.
std::vector<Term> explain_generation_run(const Catalogue& catalogue, const GenerationRun& run);

}  // namespace gpuplan
