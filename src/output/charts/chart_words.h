// Texts that several charts share.
#pragma once

#include <string>

#include "output/words/plan_report.h"

namespace gpuplan {

std::string hours_span(const Outcome<Seconds>& hours);  ///< "1.4–1.7 h", "2 h" where it is exact
std::string cost_span(const Outcome<Dollars>& cost);    ///< "$69–$84"
/// "1.5 h (8 in 10 runs: 1.4–1.7 h)"; without the range where there is none.
std::string hours_tip(const Outcome<Seconds>& hours);
std::string cost_tip(const Outcome<Dollars>& cost);

/// A plan's name as charts have room for it, without what tells no plans of the answer apart.
std::string chart_name(const PlanReport& report, const Plan& plan);

}  // namespace gpuplan
