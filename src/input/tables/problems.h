// known_problems.csv: trouble that others have had with software and hardware.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Adds the rows to the catalogue, whose GPUs and frameworks are read already. The error names the row: an id that
/// comes twice, a framework, GPU or feature that nothing is called, or no condition at all.
Result<void> read_known_problems(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
