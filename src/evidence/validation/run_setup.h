// A measured run as the model wants it: what its source did not state is assumed, and said.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "evidence/validation/training_run.h"

namespace gpuplan {

/// A run ready to be estimated. `phase` and `gpu` are referred to by what is made of them: keep the setup where it is.
struct RunSetup {
  std::string refused;  ///< why nothing can be computed; the rest is then unused
  const Gpu* catalogue_gpu = nullptr;
  Gpu gpu;         ///< the same, with the power it was given
  NodeShape node;  ///< its gpu is to be set to `gpu` above by who uses it
  int nodes = 1;
  const Framework* framework = nullptr;
  TrainPhase phase;
  Strategy strategy;
  double global_batch = 1;  ///< sequences a step
  bool batch_known = true;  ///< the micro-batch was stated or follows from what was
  bool degrees_known = true;
  bool micro_assumed = false;
  bool scores_only = false;  ///< all that the framework recomputes selectively
  double fused_loss = 0;     ///< tokens whose logits exist at a time, where the framework leaves that open; 0: all
  std::vector<std::string> assumptions;
};

/// The run took place, so that it fitted: takes the next of the settings that nobody stated to be one that needs less
/// memory, in the order in which people reach for them. False: none is left.
bool save_memory(const TrainingRun& run, RunSetup& setup);

/// Whether some of the activations may be computed again that neither the run nor the above settles: recomputation is
/// not stated, or is selective, which names many policies.
bool may_recompute_more(const TrainingRun& run, const RunSetup& setup);
/// Replaces what was assumed of a setting. Of recomputation that is only as much as lets the run fit: what it costs in
/// time depends on what is chosen, the cheapest first, and nothing is added.
void assume_anew(RunSetup& setup, std::string_view setting, std::string_view words);

/// Never reads what was measured.
RunSetup run_setup(const Catalogue& catalogue, const TrainingRun& run);

}  // namespace gpuplan
