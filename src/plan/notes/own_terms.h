// What of the user's own terms counts for nothing, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/work/job.h"

namespace gpuplan {

/// A sentence for each commitment and each credit of a job that has ended by `today` (empty: nobody says), or whose
/// provider none of the offers has. `list`: "commitments" or "credits"; `places`: where each of its entries stands,
/// "gpuplan.toml:3".
std::vector<std::string> idle_terms(const Job& job, const std::vector<Offer>& offers, std::string_view today,
                                    std::string_view list, const std::vector<std::string>& places);

/// Whether a commitment of the job names a region: then offers that differ in it alone are not alike.
bool terms_by_region(const Job& job);

}  // namespace gpuplan
