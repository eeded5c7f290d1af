// Why nothing, or less than asked for, could be tried: what the market lacks, and what to ask for in its place.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/market.h"

namespace gpuplan {

/// A sentence each: GPUs with old prices only, numbers of GPUs that no machine has, pools and own boxes with fewer
/// machines than are asked for.
/// `market`: what is left of it after `filter`.
std::vector<std::string> market_hints(const Job& job, const Catalogue& catalogue, std::span<const Offer> market,
                                      const MarketFilter& filter);

}  // namespace gpuplan
