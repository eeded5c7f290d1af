// What to take, in which order, when the pick is not to be had, and up to which price.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/answer/search_result.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

struct Fallback {
  const Plan* plan = nullptr;
  std::string role;     ///< "first", "if not to be had", "then", "one GPU", ...
  bool ranked = false;  ///< stands in the order of the goal; else it is there for another reason
  int offers = 0;       ///< of the same machines, the plan's own among them, that keep the limits as it does
  /// Price an hour up to which the plan stays at least as good as the next one for the job's goal, and within the
  /// budget; nullopt: it has no price, or the goal does not look at prices.
  std::optional<DollarsPerSecond> below{};
};

/// The pick first, then what would be picked were those above not to be had; each kind of machine once. REQUIRES: there
/// is a pick.
std::vector<Fallback> fallback_order(const Job& job, const SearchResult& found, const Compared& compared);

/// The same, then the plans of the frontier that are not among them.
std::vector<Fallback> market_order(const Job& job, const SearchResult& found, const Compared& compared);
std::vector<Fallback> market_order(const Job& job, const SearchResult& found, std::vector<Fallback> fallbacks);

/// No plan keeps the deadline: that weighs before the budget.
bool misses_deadline(const Job& job, const SearchResult& found);

}  // namespace gpuplan
