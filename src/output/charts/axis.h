// Axes with round ticks, written as all amounts are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/charts/chart.h"

namespace gpuplan {

enum class AxisUnit { kHours, kSeconds, kDollars, kGiB, kShare, kDays };

/// A value of the axis in words, as a tick says it: "1.5 h", "30 min", "$1,200", "64 GiB", "50%".
std::string tick_text(double value, AxisUnit unit);

/// From the least of the values to the most, with a margin on both sides. Logarithmic: equal distances are equal
/// ratios, unless a value is not positive. Values that are all one lie in the middle. No value: 0 to 1.
PlotAxis scattered_axis(std::string title, std::span<const double> values, AxisUnit unit);

/// From zero to the end, or from the start where one is given.
PlotAxis linear_axis(std::string title, double start, double end, AxisUnit unit);

/// Rows one below the other.
PlotAxis row_axis(const std::vector<std::string>& rows);

/// Text of the user's with at most so many columns.
std::string short_name(const std::string& name, int columns = 26);

}  // namespace gpuplan
