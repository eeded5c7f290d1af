// For each thing that may matter most, the plan to take: by the rules of the recommendation, and nowhere else.
#pragma once

#include <optional>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

enum class Priority {
  kJob,  ///< what the job itself asks for: the pick
  kCheapest,
  kBestValue,
  kFastest,
  kWithinDeadline,
  kWithinBudget,
  kFewestGpus,
  kBalanced,  ///< time and cost count alike: the least product of both, so that half the time is worth twice the cost
  kOneGpu,
  kNoInterruptions,
  kLowestPrice
};

struct Decision {
  Priority priority{};
  std::optional<int> plan;  ///< position; nullopt: no plan does
};

/// In the order of Priority; what the job does not ask for, and what would be no choice, is left out. `kJob` is there
/// only where the pick is none of the others. One GPU, no interruptions: settled_among().
std::vector<Decision> decisions_of(const Job& job, const std::vector<Plan>& plans, const Recommendations& rules,
                                   const Compared& compared);

/// What would be recommended were these plans the only ones: by the same goal and limits, the nearest miss included,
/// and of those that can not be told from the best the one that asks least; nullopt when none of them may be.
std::optional<int> settled_among(const Job& job, const std::vector<Plan>& plans, const Compared& compared,
                                 bool (*counts)(const Plan&));
/// One GPU at a time, which two machines of one are not.
inline bool takes_one_gpu(const Plan& plan) { return plan.gpus_at_once() == 1; }

}  // namespace gpuplan
