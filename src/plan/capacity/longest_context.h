// How long a sequence may be and still fit.
#pragma once

#include <optional>

#include "domain/facts/catalogue.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

struct LongestContext {
  int sequences = 1;   ///< in flight on each replica
  int tokens = 0;      ///< prompt and answer together; 0: none fits
  bool whole = false;  ///< the model reads no more
};

/// The longest context that fits (p90) with so many sequences in flight, cut as in the estimate; answers stay as long
/// as the phase says, prompts grow. REQUIRES: the estimate is one of this generation phase.
LongestContext longest_context(const PhaseWorkload& workload, const Catalogue& catalogue, const PhaseEstimate& best,
                               int sequences);

}  // namespace gpuplan
