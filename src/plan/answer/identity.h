// What makes a plan the same plan tomorrow.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/answer/plan.h"

namespace gpuplan {

/// Hash of offers, machines, strategies and which phases share machines, phases in `order` (canonical_order()). What
/// changes from day to day has no part in it: price, rate of interruptions, availability, date and source.
std::uint64_t identity(const Plan& plan, const std::vector<int>& order);

/// Gives every plan an id of its own. Six signs of the identity, more where two of them would read alike. Plans of one
/// identity are on offers that differ only in what changes from day to day: they are numbered by before(), which asks
/// for the price first, so that the cheapest keeps the id of a plan that stands alone.
void set_ids(std::vector<Plan>& plans);

}  // namespace gpuplan
