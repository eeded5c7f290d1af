// Robust least squares with prior knowledge.
#pragma once

#include <string>
#include <vector>

#include "fit/residuals.h"

namespace gpuplan::fit {

struct Solution {
  std::vector<double> values;  ///< one for each parameter
  double cost = 0;
};

/// Minimises, over ln(value), the sum of weight x pseudo-Huber(error / scale) and of half the squared distance from
/// each prior in its deviations, by damped Gauss-Newton steps with numerical derivatives. Starts from `start`. What all
/// runs of a source of training runs have in common is fitted along, and thrown away (a mixed model).
Solution solve(const Catalogue& catalogue, const Evidence& evidence, const std::vector<Parameter>& parameters,
               const std::vector<double>& start, const std::string& left_out, int most_steps);

/// The catalogue with these values.
Catalogue with_values(const Catalogue& catalogue, const std::vector<Parameter>& parameters,
                      const std::vector<double>& values);

}  // namespace gpuplan::fit
