// data/measured/first_contact.csv as values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/scores/first_contact.h"

namespace gpuplan {

/// Columns id, source, metric, measured, predicted, p10, p90, status, reason, commit. Errors name the row.
Result<std::vector<ContactFigure>> read_first_contact(std::string_view text, std::string_view file);

}  // namespace gpuplan
