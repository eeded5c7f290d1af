// Collecting in two passes: a serving engine generates, then a pass with hooks reads the whole text once.
#pragma once

#include <optional>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// A `collect` phase cut in two on the machines it has. Times are medians by the model, loading of models included.
struct TwoPasses {
  PhaseEstimate generate;  ///< by the engine gpuplan would choose, as many sequences at once as memory holds
  PhaseEstimate read;      ///< with hooks, forward only, over prompts and answers
  Seconds together{};      ///< both, one after the other
  Seconds one{};           ///< generating with hooks, as the phase stands
};

/// nullopt: the phase does not both generate and keep activations, or one of the passes does not run there.
std::optional<TwoPasses> two_passes(const Job& job, const PhaseEstimate& chosen, const Catalogue& catalogue);

}  // namespace gpuplan
