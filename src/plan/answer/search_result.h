// What a search found: the plans, which of them to take, and what was left out on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/facts/error_model.h"
#include "plan/answer/market.h"
#include "plan/answer/plan.h"
#include "plan/answer/tally.h"

namespace gpuplan {

struct SearchResult {
  std::vector<Plan>
      plans;  ///< best strategy for each offer and number of machines; frontier first by cost, then nearest
  std::vector<ValueRange> values;  ///< by rising value of an hour
  Recommendations recommendations;
  Tally tally;
  MarketFilter market;
  std::string as_of;                     ///< newest date among the offers used
  std::vector<std::string> sources;      ///< of the offers used
  std::vector<std::string> assumptions;  ///< in words, for the user
  std::optional<ErrorModel> errors;      ///< with what the job's own figures tell; nullopt: as the catalogue has it
};

}  // namespace gpuplan
