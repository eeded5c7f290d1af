// What a fit prints.
#pragma once

#include <string>
#include <vector>

#include "fit/residuals.h"

namespace gpuplan::fit {

/// Errors by source, and over all: median, 90th percentile, bias.
void print_errors(const std::string& title, const Evidence& evidence, const std::vector<Residual>& errors);

void print_parameters(const std::vector<Parameter>& parameters, const std::vector<double>& before,
                      const std::vector<double>& after);

}  // namespace gpuplan::fit
