// efficiency.csv and training_software.csv: what the model needs to know of hardware generations and of software.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of efficiency.csv. Columns bear the names of Efficiency's fields; all must be there. Errors name the row: a
/// value that is no number or out of range, an architecture that no GPU has.
Result<void> read_efficiencies(std::string_view text, std::string_view file, Catalogue& catalogue);

/// Rows of training_software.csv, likewise after TrainingSoftware; names must be frameworks or "*".
Result<void> read_training_software(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
