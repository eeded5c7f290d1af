// What a generation phase delivers on a set of GPUs, and whether that reaches the phase's target.
#pragma once

#include "model/generation/generation.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// How far the medians of a way to run it are from the target: the largest of the ratios, at most 1 when it is
/// reached; 0 when there is no target.
double shortfall(const GenerationTarget& target, const GenerationEstimate& estimate);
/// The same of latencies alone: those that fewer sequences in flight shorten.
double latency_shortfall(const GenerationTarget& target, const GenerationEstimate& estimate);

/// REQUIRES: phase.work is final (a speed that the user gave is in it), phase.tokens counts all of it.
Serving serving_of(const GenerationWork& work, const GenerationEstimate& estimate, const Spread& spread,
                   const PhaseEstimate& phase);

}  // namespace gpuplan
