#include "plan/answer/effort.h"

namespace gpuplan {

Effort effort_of(const PhaseEstimate& estimate, const Phase& phase) {
  const Strategy& s = estimate.strategy;
  const bool generates = std::holds_alternative<GeneratePhase>(phase.work);
  if (s.tp > 1 || s.pp > 1 || s.cp > 1 || s.ep > 1)
    return estimate.nodes > 1 ? Effort::kSeveralMachines : Effort::kModelParallel;
  if (estimate.gpus <= 1) return Effort::kOneProcess;
  if (generates) {
    const auto& generate = std::get<GeneratePhase>(phase.work);
    const bool apart = generate.models.size() > 1 && s.placement == Placement::kOneModelPerGpu;
    return apart ? Effort::kModelsApart : Effort::kReplicas;
  }
  if (!std::holds_alternative<TrainPhase>(phase.work)) return Effort::kReplicas;
  if (estimate.nodes > 1) return Effort::kSeveralMachines;
  return s.sharding == Sharding::kNone ? Effort::kDataParallel : Effort::kSharded;
}

std::string_view grade_of(Effort effort) {
  switch (effort) {
    case Effort::kOneProcess:
      return "simple";
    case Effort::kReplicas:
    case Effort::kDataParallel:
    case Effort::kModelsApart:
    case Effort::kSharded:
      return "moderate";
    case Effort::kModelParallel:
    case Effort::kSeveralMachines:
      return "high";
  }
  return "";
}

}  // namespace gpuplan
