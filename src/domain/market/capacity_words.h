// How offers word it that their source tells where a machine is to be had.
#pragma once

#include <string_view>

namespace gpuplan {

/// `availability` of a machine that its source lists in the regions that have it on that day, and in no others.
inline constexpr std::string_view kCapacityWhenListed = "capacity when listed";

}  // namespace gpuplan
