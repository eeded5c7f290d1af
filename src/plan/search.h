// The search: every sensible way to run a job on a market, what it costs, and which of them nothing else beats.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/search_result.h"
#include "plan/ranking/comparison.h"

namespace gpuplan {

struct SearchOptions {
  bool ignore_given = false;  ///< let the model answer where the job brings figures of its own
  int threads = 1;
  std::uint64_t seed = 1;
  bool chances = true;  ///< with how often each plan is the best and what the pick may fall short by; no pick needs it
  /// How common GPUs are in the market that `market` is a part of; null: it is all of it.
  const ProvidersByGpu* common = nullptr;
};

/// The job with the offers it may use. Pure; the answer does not depend on the number of threads.
/// `market` holds the offers (already joined from the job and the known market); it and the catalogue must outlive
/// the result. Fails only when the job itself can not be worked out (the message names the phase).
Result<SearchResult> search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market,
                            const SearchOptions& options);

}  // namespace gpuplan
