// The search: every sensible way to run a job on a market, what it costs, and which of them nothing else beats.
#pragma once

#include <string>
#include <vector>

#include "domain/catalogue.h"
#include "domain/job.h"
#include "plan/market.h"
#include "plan/plan.h"
#include "plan/tally.h"

namespace gpuplan {

struct SearchOptions {
  bool ignore_given = false;  ///< let the model answer where the job brings figures of its own
  int threads = 1;
  std::uint64_t seed = 1;
};

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
};

/// The job with the offers it may use. Pure; the answer does not depend on the number of threads.
/// `market` holds the offers (already joined from the job and the known market); it and the catalogue must outlive
/// the result. Fails only when the job itself can not be worked out (the message names the phase).
Result<SearchResult> search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market,
                            const SearchOptions& options);

}  // namespace gpuplan
