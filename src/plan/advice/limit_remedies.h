// What would keep a deadline or a budget that no plan keeps: changes of the job, each of them searched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/search.h"

namespace gpuplan {

struct LimitRemedy {
  std::string change;  ///< "where.nodes: [2]", "phases.train.train.steps: 620", "limits.deadline: 2.2 h"
  std::string plan;    ///< label of the best plan then
  int nodes = 1;       ///< machines it takes
  bool spot = false;
  Outcome<Seconds> hours{};
  Outcome<Dollars> cost{};
  bool keeps = false;  ///< that plan keeps deadline and budget at the wanted confidence
  bool meets_deadline = true, meets_budget = true, reaches_target = true;
  double shortfall = 0;  ///< Plan::shortfall()
};

/// Tries, in this order: several machines, what `where` and `market` leave out, spot, the model's speeds in place of
/// given ones, less work, and other limits. Those that keep the limits come first. Empty when the limits are kept.
/// Where nothing fits: more machines as one job, and other GPUs than `where` names. `known` is the market beside the
/// job's own offers; `market` what the search used.
std::vector<LimitRemedy> limit_remedies(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                        const std::vector<Offer>& market, const SearchResult& found,
                                        const SearchOptions& options);

}  // namespace gpuplan
