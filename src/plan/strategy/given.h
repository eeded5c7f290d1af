// The user's own figures in place of the model's.
#pragma once

#include <optional>

#include "domain/work/phase.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// The figure stated for these GPUs: one for exactly so many, else one that says no number, else (for `replicas_of`
/// GPUs, independent of each other) one for a replica's size. Null when there is none.
const Given* given_for(const Phase& phase, const std::string& gpu, int gpus, int replica_gpus);

/// Whether it says how long the work takes.
bool states_speed(const Given& given);

/// GPUs or replicas that a stated rate must be multiplied by to stand for all GPUs in use.
double given_units(const Given& given, int gpus, int replicas);

/// What a stated rate is applied to.
struct GivenWork {
  double samples = 0;  ///< that one unit has to process one after the other when `units` work in parallel
  double tokens = 0;
  double steps = 0;
};

/// The phase's working time by the stated figure; nullopt when it states memory only.
std::optional<Interval<Seconds>> given_time(const Given& given, const GivenWork& work, double units);

/// Puts stated time and memory into an estimate that holds the model's; notes the model's interval where the stated
/// figure lies outside of it.
void apply_given(const Given& given, const GivenWork& work, double units, double overhead_share,
                 PhaseEstimate& estimate);

}  // namespace gpuplan
