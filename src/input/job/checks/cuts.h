// Degrees that no network of a phase can be cut by: each a clear line that names the nearest that work.
#pragma once

#include <vector>

#include "domain/work/phase.h"
#include "input/declaration/reader.h"

namespace gpuplan {

/// Training copies KV heads as it needs them.
enum class CutsOf { kTraining, kGeneration };

/// False after reader.fail(); `tree` is that of `parallel`, in whose scope the reader is.
bool check_degrees(Reader& reader, const Tree& tree, const std::vector<ModelUse>& models, const Parallel& parallel,
                   CutsOf work);

}  // namespace gpuplan
