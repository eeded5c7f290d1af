// What a generate phase asks that no machine could give: each a clear line that names the nearest thing that works.
#pragma once

#include "domain/work/phase.h"
#include "input/declaration/reader.h"

namespace gpuplan {

/// Formats that its engine does not read, contexts longer than the model's, cuts that do not divide. False after
/// reader.fail(); `tree` is the phase's.
bool check_generation(Reader& reader, const Tree& tree, const GeneratePhase& phase);

}  // namespace gpuplan
