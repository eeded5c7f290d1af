// Sequences that published weights know no positions for.
#pragma once

#include "domain/work/phase.h"
#include "input/declaration/reader.h"

namespace gpuplan {

/// Training that goes on with a table of learned positions (GPT-2, BERT, OPT) reads no row that is not there: the first
/// longer sequence ends it. False after reader.fail(); `tree` is the phase's. Rotary positions can be extended, which
/// data/known_problems.csv tells.
bool check_positions(Reader& reader, const Tree& tree, const TrainPhase& phase);

}  // namespace gpuplan
