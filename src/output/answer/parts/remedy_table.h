// What would make a phase fit that needs too much memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "output/text/style.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

/// "fits", "OOM risk", "not enough".
std::string_view remedy_verdict(const Remedy& remedy, Bytes usable);

/// A heading that names the GPU, and one line for each change tried; empty when there is none.
std::string remedy_table(const std::vector<Remedy>& remedies, const NearMiss& miss, const Screen& screen);

}  // namespace gpuplan
