// Tables of measured generation runs as values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/validation/generation_run.h"
#include "input/measured/run_table.h"

namespace gpuplan {

using GenerationRunTable = RunTableOf<GenerationRun>;

/// Reads a table of generation runs: columns by name, in any order, those that are missing count as not stated. Shapes
/// come from the columns; what these leave open from the catalogue's model of that name, else from the size.
/// Errors: no header, or none of the columns that hold a measured figure.
Result<GenerationRunTable> read_generation_runs(std::string_view text, std::string_view file,
                                                const Catalogue& catalogue);

}  // namespace gpuplan
