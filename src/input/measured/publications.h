// Where measured runs were published.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gpuplan {

/// Each source of a table of runs and its publication, by the names of the sources. Errors: no such columns.
Result<std::vector<std::pair<std::string, std::string>>> read_publications(std::string_view text,
                                                                           std::string_view file);

}  // namespace gpuplan
