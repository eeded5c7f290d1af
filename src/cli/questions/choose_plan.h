// Which plan of a search is meant.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "input/question/plan_file.h"
#include "plan/answer/search_result.h"

namespace gpuplan::cli {

/// The plan with this id. Usage error that names `flag`, and ids that look alike, when there is none.
Result<const Plan*> plan_with_id(const SearchResult& found, const std::string& id, const std::string& flag = "--plan");

/// Whether what --plan says is a file of a kept plan ("plan.json", "-") rather than an id.
bool names_plan_file(const std::string& word);

/// The kept plan in a file, or in standard input for "-".
Result<PlanFile> open_plan(System& system, const std::string& file);

}  // namespace gpuplan::cli
