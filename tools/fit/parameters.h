// Numbers of data/*.csv that a fit may change, each with what is thought of it beforehand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/validation/fitted_value.h"

namespace gpuplan::fit {

/// In the logarithm the number is expected to lie within `deviation` of `prior` (one standard deviation).
struct Parameter {
  FittedAddress address;
  double prior = 1, deviation = 0.1;
  double least = 0, most = 0;
};

/// tools/fit/parameters.csv.
Result<std::vector<Parameter>> read_parameters(std::string_view text, std::string_view file);

/// Puts the numbers into the tables of the folder `data`, changing nothing else of them. Throws when a file can not be
/// read or written, or has no such column.
void save_values(const std::string& data, const std::vector<FittedNumber>& numbers);

}  // namespace gpuplan::fit
