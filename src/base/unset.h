// What a figure is before data fills it.
#pragma once

#include <limits>

namespace gpuplan {

/// No number, and what is computed from it is none either: a figure that no table filled can not pass for one that
/// somebody measured.
inline constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

}  // namespace gpuplan
