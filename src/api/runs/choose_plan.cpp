#include "api/runs/choose_plan.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gpuplan::api {

Result<const Plan*> plan_with_id(const SearchResult& found, const std::string& id) {
  const auto match = std::ranges::find(found.plans, id, &Plan::id);
  if (match != found.plans.end()) return &*match;
  std::vector<std::string_view> ids;
  for (const Plan& plan : found.plans) ids.push_back(plan.id);
  return wrong_use("--plan: unknown plan id '" + printable(id, 40) + "'" + did_you_mean(id, ids) +
                   " (list: gpuplan plan --all --json)");
}

}  // namespace gpuplan::api
