#pragma once

#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// The share of each GPU's memory that vLLM takes at its start, whatever the requests come to need: what the engine
/// takes unasked, or as much more as the plan counts with. REQUIRES: framework and node of the estimate.
double reserved_share(const Catalogue& catalogue, const PhaseEstimate& estimate);

}  // namespace gpuplan
