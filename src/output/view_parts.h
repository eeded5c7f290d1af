// What several views of a search say in the same way.
#pragma once

#include <string>
#include <vector>

#include "output/plan_story.h"
#include "output/table.h"

namespace gpuplan {

/// The plans a view is about: the frontier, the pick and, until there are `least`, the nearest others, one of each
/// label; when everything is asked for, all.
std::vector<const Plan*> plans_shown(const PlanStory& story, std::size_t least = 8);

/// "✔" for the pick; a column of its own, so that no name that is cut short takes it along.
Cell pick_mark(const PlanStory& story, const Plan& plan);

/// "batch 8 x 32 x 2 = 512" as figures: "8 x 32 x 2 = 512"; empty when the phase has no micro-batch.
std::string batch_words(const PhaseEstimate& estimate, const Phase& phase);

/// "3.4 (2.8 … 4.1)", hours without their unit; "$4.74 (3.95 … 5.69)".
std::string with_range(const Outcome<Seconds>& hours);
std::string with_range(const Outcome<Dollars>& cost);

const Phase& phase_of(const PlanStory& story, const PhasePlan& part);

}  // namespace gpuplan
