// How often a row or list does what its other figures say of one: epochs, runs, seeds, people.
#pragma once

#include <vector>

#include "evidence/audit/figures/records.h"

namespace gpuplan::audit {

/// All products of what the record counts of itself, without 1. In tables every column of whole numbers without a unit
/// may be such a count, whatever its head says, unless it is of something else (a batch, a length, a rank); in lists,
/// which hold figures about many things, only labels that name what is repeated.
std::vector<double> repeats_of(const ClaimRecord& record);

/// What is named so differs: 6 people and 10 people do not need the same.
bool repeats_differ(const ClaimRecord& a, const ClaimRecord& b);

}  // namespace gpuplan::audit
