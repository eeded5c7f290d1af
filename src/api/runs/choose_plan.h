// Which plan of a search is meant.
#pragma once

#include <optional>
#include <string>

#include "api/questions/prices.h"
#include "base/result.h"
#include "plan/answer/search_result.h"

namespace gpuplan::api {

/// A plan as it is asked for.
struct AskedPlan {
  std::string id{};                 ///< of the search, empty where `kept` is there; "all" where several may be meant
  std::optional<NamedText> kept{};  ///< the text of a kept plan
};

/// The plan with this id. Usage error that names ids that look alike when there is none.
Result<const Plan*> plan_with_id(const SearchResult& found, const std::string& id);

}  // namespace gpuplan::api
