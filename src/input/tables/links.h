// links.csv: what collectives reach on each kind of link.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Adds the rows to the catalogue, in their order: the first that fits a machine counts. The error names the row: an
/// unknown path, a number that is none or out of range.
Result<void> read_links(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
