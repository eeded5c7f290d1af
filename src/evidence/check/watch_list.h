// What to watch while a phase runs: the signs that the diagnosis of its log goes by, with the figures of the plan.
#pragma once

#include <string>
#include <vector>

#include "evidence/check/expectation.h"

namespace gpuplan {

struct WatchLine {
  std::string sign;     ///< "a step takes over 54 s"
  std::string planned;  ///< "45 s (37.5–54)"; empty: there is no figure
  std::string advice;   ///< what to do then
};

/// In the order in which they show. Empty for phases that compute nothing. `goes_back`: there is a checkpoint before
/// the last one, and the program goes on from it.
std::vector<WatchLine> watch_list(const Expectation& expected, bool goes_back);

}  // namespace gpuplan
