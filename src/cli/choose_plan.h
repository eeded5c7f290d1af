// Which plan of a search is meant.
#pragma once

#include <string>

#include "base/result.h"
#include "plan/search.h"

namespace gpuplan::cli {

/// The plan with this id. Usage error that names `flag`, and ids that look alike, when there is none.
Result<const Plan*> plan_with_id(const SearchResult& found, const std::string& id, const std::string& flag = "--plan");

}  // namespace gpuplan::cli
