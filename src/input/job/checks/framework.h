// What a train phase asks of the framework that it names, and that one can not do: a clear line at the key that asks.
#pragma once

#include "domain/work/phase.h"
#include "input/declaration/reader.h"

namespace gpuplan {

/// Methods, optimizers, cuts and networks that the framework does not have (domain/facts/limits.h). False after
/// reader.fail(); `tree` is the phase's.
bool check_framework(Reader& reader, const Tree& tree, const TrainPhase& phase);

}  // namespace gpuplan
