// What `gpuplan plan` prints: the frontier as a table, the recommendation and its reasons, how the pick runs.
#pragma once

#include <string>
#include <vector>

#include "output/text/style.h"
#include "output/words/plan_report.h"
#include "plan/capacity/fit.h"

namespace gpuplan {

struct PlanLook {
  Screen screen;
  bool all = false;  ///< the dominated plans too
  /// Rows of plans at most, the pick and those nearest to it; 0: ten, and with `all` every one.
  int top = 0;
};

/// Text that is never wider than the screen wherever words can be broken; ends in a line feed. `remedies` are shown
/// when nothing fits.
std::string plan_table(const PlanReport& report, const PlanLook& look, const std::vector<Remedy>& remedies = {});

}  // namespace gpuplan
