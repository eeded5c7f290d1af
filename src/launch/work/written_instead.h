// What launch can write where it has no program for the way that a plan runs.
#pragma once

#include <string>

#include "output/words/plan_report.h"

namespace gpuplan {

/// Of the pick, in a sentence: with another framework on the same machines, else the next plan in the order in which
/// machines are taken. "" where there is neither. REQUIRES: there is a pick.
std::string written_instead(const PlanReport& report);

}  // namespace gpuplan
