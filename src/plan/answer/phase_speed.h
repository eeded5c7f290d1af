// How fast the work of a phase goes, in the measures that people ask for.
#pragma once

#include <optional>

#include "base/units.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Samples (sequences) done in a second of work, all GPUs, by the median; nullopt: the phase counts none.
std::optional<double> samples_per_second(const PhaseEstimate& estimate);

/// One pass over the data by the median, of training that makes whole or broken passes over a number of samples;
/// nullopt: other work, or the job states no epochs.
std::optional<Seconds> epoch_time(const Phase& phase, const PhaseEstimate& estimate);

/// What one step, or one sample where there are no steps, would take by the model where a given figure took its place;
/// nullopt: it did not, or the model has none.
std::optional<Seconds> model_unit_time(const PhaseEstimate& estimate);

}  // namespace gpuplan
