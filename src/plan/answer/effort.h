// What a strategy asks of the person who sets it up and looks for faults in it.
#pragma once

#include "base/names.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// In rising order of what there is to understand.
enum class Effort { kOneProcess, kReplicas, kDataParallel, kModelsApart, kSharded, kModelParallel, kSeveralMachines };

template <>
struct Names<Effort> {
  static constexpr std::array entries = {
      Named<Effort>{Effort::kOneProcess, "one process"},
      Named<Effort>{Effort::kReplicas, "independent replicas"},
      Named<Effort>{Effort::kDataParallel, "data parallel"},
      Named<Effort>{Effort::kModelsApart, "a model on each GPU"},
      Named<Effort>{Effort::kSharded, "sharded data parallel"},
      Named<Effort>{Effort::kModelParallel, "tensor or pipeline parallel"},
      Named<Effort>{Effort::kSeveralMachines, "several machines"},
  };
};

/// Of a phase as an estimate runs it; replicas of generation know nothing of each other.
Effort effort_of(const PhaseEstimate& estimate, const Phase& phase);

/// "simple", "moderate", "high".
std::string_view grade_of(Effort effort);

}  // namespace gpuplan
