// Numbers of data/*.csv that a fit may change, each with what is thought of it beforehand.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/fitted_value.h"

namespace gpuplan::fit {

/// In the logarithm the number is expected to lie within `deviation` of `prior` (one standard deviation).
struct Parameter {
  FittedAddress address;
  double prior = 1, deviation = 0.1;
  double least = 0, most = 0;
};

/// tools/fit/parameters.csv.
Result<std::vector<Parameter>> read_parameters(std::string_view text, std::string_view file);

/// Puts the numbers into a table of data/, changing nothing else of it: `text` is the file, `table` its name in
/// addresses. Returns the new text.
std::string with_values(std::string_view text, std::string_view table, const std::vector<Parameter>& parameters,
                        const std::vector<double>& values);

}  // namespace gpuplan::fit
