// The colours of charts, light and dark, and the rules that name them.
#pragma once

#include <string>

#include "output/charts/svg/svg.h"

namespace gpuplan {

/// The content of <style>: everything under ".gpchart".
std::string chart_style(ChartTheme theme);

/// Stripes for what is paid and idle, under this id.
std::string hatch_pattern(const std::string& id);

}  // namespace gpuplan
