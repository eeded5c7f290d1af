// The user's own runs as part of a question: a text that the facts learn from.
#pragma once

#include <vector>

#include "api/questions/prices.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan::api {

/// Rows that can not be used, each with its place; the others have been learned from. Errors: the text is no table of
/// runs; the facts stay as they are.
Result<std::vector<Error>> learn_from(const NamedText& own_runs, Catalogue& catalogue);

}  // namespace gpuplan::api
