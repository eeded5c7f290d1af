// A run as cells, by the names of their columns: what the readers of tables of runs read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/own/planned_run.h"

namespace gpuplan {

using NamedCells = std::vector<std::pair<std::string_view, std::string>>;

/// What is stated, by column. Without the id.
NamedCells cells_of(const AnyRun& run);

/// In quotes where a CSV needs them.
std::string csv_cell(std::string_view text);

}  // namespace gpuplan
