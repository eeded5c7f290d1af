// What a generation phase delivers on a set of GPUs, and whether that reaches the phase's target.
#pragma once

#include "model/generation/generation.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// How far a way to run it is from reaching the target with the chance asked for: the largest of the ratios, at most 1
/// when it does; 0 when there is no target.
double shortfall(const GenerationTarget& target, const GenerationEstimate& estimate, const Spread& spread,
                 double confidence);
/// The same of latencies alone: those that fewer sequences in flight shorten.
double latency_shortfall(const GenerationTarget& target, const GenerationEstimate& estimate, const Spread& spread,
                         double confidence);

/// `confidence`: chance with which a target has to be reached. REQUIRES: phase.work is final (a speed that the user
/// gave is in it), phase.tokens counts all of it.
Serving serving_of(const GenerationWork& work, const GenerationEstimate& estimate, const Spread& spread,
                   const PhaseEstimate& phase, double confidence);

}  // namespace gpuplan
