// How wide intervals have to be.
#pragma once

#include <vector>

#include "fit/residuals.h"

namespace gpuplan::fit {

/// Half widths (`parameters`, of training_constants) with the least interval score (Gneiting and Raftery 2007, for a
/// central 80 % interval) on these errors, whose sources were left out of the fit, with prior knowledge as in solve().
std::vector<double> fit_spread(const Catalogue& catalogue, const Evidence& evidence,
                               const std::vector<Residual>& errors, const std::vector<Parameter>& parameters);

/// Prints the share of errors inside their intervals, by source, over all, and by what applies to the run.
void print_coverage(const Catalogue& catalogue, const Evidence& evidence, const std::vector<Residual>& errors);

}  // namespace gpuplan::fit
