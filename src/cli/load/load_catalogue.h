// All facts: those compiled in, or the files of a folder.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "domain/facts/catalogue.h"

namespace gpuplan::cli {

/// `folder` is empty for the built-in data; else its *.csv files take the place of the built-in ones of the same
/// name. The error names file and line.
Result<Catalogue> load_catalogue(System& system, const std::string& folder);

}  // namespace gpuplan::cli
