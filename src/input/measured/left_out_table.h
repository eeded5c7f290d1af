// data/measured/left_out.csv as values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/validation/left_out.h"

namespace gpuplan {

/// Columns source, table, row, column, value. Errors name the row.
Result<std::vector<LeftOutValue>> read_left_out(std::string_view text, std::string_view file);

}  // namespace gpuplan
