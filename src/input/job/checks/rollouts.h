// What contradicts itself in training by rewards, or is no part of what is planned of it.
#pragma once

#include "domain/work/phase.h"
#include "input/declaration/reader.h"

namespace gpuplan {

/// Of a phase whose models are read. Fills in what follows from its rollouts: how long its sequences are.
bool check_rollouts(Reader& reader, const Tree& tree, TrainPhase& phase);

}  // namespace gpuplan
