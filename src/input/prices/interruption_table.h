// data/interruptions.csv: in which band the interruptions of spot machines are.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Puts the bands into the offers of the same provider, region and instance that have a spot price; the offers must be
/// there. Errors name file and line: an unknown band, two rows for one machine.
Result<void> read_interruptions(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
