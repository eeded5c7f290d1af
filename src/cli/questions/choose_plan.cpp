#include "cli/questions/choose_plan.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/io/read_file.h"

namespace gpuplan::cli {

Result<const Plan*> plan_with_id(const SearchResult& found, const std::string& id, const std::string& flag) {
  const auto match = std::ranges::find(found.plans, id, &Plan::id);
  if (match != found.plans.end()) return &*match;
  std::vector<std::string_view> ids;
  for (const Plan& plan : found.plans) ids.push_back(plan.id);
  return wrong_use(flag + ": '" + printable(id, 40) + "' is no plan of this job" + did_you_mean(id, ids) +
                   "; gpuplan plan --all --json lists their ids");
}

bool names_plan_file(const std::string& word) {
  return to_lower(word).ends_with(".json") || word.find('/') != std::string::npos || word == "-";
}

Result<PlanFile> open_plan(System& system, const std::string& file) {
  const auto text = read_file(system, file, kMaxPlanBytes);
  if (!text) return std::unexpected(text.error());
  return read_plan_file(*text, shown_name(file));
}

}  // namespace gpuplan::cli
