// Tables of measured runs as values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/validation/training_run.h"

namespace gpuplan {

template <class Run>
struct RunTableOf {
  std::vector<Run> runs;
  std::vector<Error> bad_lines;  ///< rows that could not be read, each with its place; the others are in `runs`
};
using RunTable = RunTableOf<TrainingRun>;

/// Reads a table of training runs: columns by name, in any order, those that are missing count as not stated. Shapes
/// come from the columns; what these leave open from the catalogue's model of that name, else from the size.
/// Errors: no header, or none of the columns that hold a measured figure.
Result<RunTable> read_training_runs(std::string_view text, std::string_view file, const Catalogue& catalogue);

}  // namespace gpuplan
