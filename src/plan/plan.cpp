#include "plan/plan.h"

#include <algorithm>

#include "plan/ledger.h"

namespace gpuplan {

double Plan::shortfall() const {
  double most = 0;
  for (const PhasePlan& phase : phases)
    if (phase.estimate->serving) most = std::max(most, phase.estimate->serving->shortfall);
  return most;
}

int Plan::gpus_at_once() const { return std::max(gpus, gpuplan::gpus_at_once(leases)); }

const PhasePlan* Plan::fullest() const {
  const PhasePlan* fullest = nullptr;
  double most = -1;
  for (const PhasePlan& phase : phases) {
    if (!phase.estimate->node) continue;
    const double share = phase.estimate->memory_total.p50 / phase.estimate->node->gpu->usable;
    if (share > most) {
      most = share;
      fullest = &phase;
    }
  }
  return fullest;
}

}  // namespace gpuplan
