// For each thing that may matter most, the plan to take: by the rules of the recommendation, and nowhere else.
#pragma once

#include <optional>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

enum class Priority {
  kJob,  ///< what the job itself asks for: the pick
  kCheapest,
  kBestValue,
  kFastest,
  kWithinDeadline,
  kWithinBudget,
  kFewestGpus,
  kOneGpu,
  kNoInterruptions,
  kLowestPrice
};

struct Decision {
  Priority priority{};
  std::optional<int> plan;  ///< position; nullopt: no plan does
};

/// In the order of Priority; what the job does not ask for, and what would be no choice, is left out. `kJob` is there
/// only where the pick is none of the others. One GPU, no interruptions: the pick among such plans (pick_among).
std::vector<Decision> decisions_of(const Job& job, const std::vector<Plan>& plans, const Recommendations& rules);

}  // namespace gpuplan
