#include "plan/answer/plan.h"

#include <algorithm>
#include <map>

#include "base/sorting.h"

namespace gpuplan {

namespace {

/// Most of `weight`, summed over the leases that are held at one time.
template <class Weight>
int most_at_once(const std::vector<Lease>& leases, Weight weight) {
  std::vector<const Lease*> by_start;
  for (const Lease& lease : leases) by_start.push_back(&lease);
  sort_stably(by_start, {}, &Lease::from);
  std::multimap<Seconds, int> open;  // by when they end: what those weigh that have begun
  int most = 0;
  int held = 0;
  for (auto lease = by_start.begin(); lease != by_start.end();) {
    const Seconds now = (*lease)->from;
    for (; lease != by_start.end() && (*lease)->from == now; ++lease) {
      open.emplace((*lease)->to, weight(**lease));
      held += weight(**lease);
    }
    // Ends that the medians put less than a second off are those at which the next begins.
    for (; !open.empty() && open.begin()->first <= now + units::second; open.erase(open.begin()))
      held -= open.begin()->second;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

int leases_at_once(const std::vector<Lease>& leases) {
  return most_at_once(leases, [](const Lease&) { return 1; });
}

int gpus_at_once(const std::vector<Lease>& leases) {
  return most_at_once(leases, [](const Lease& lease) { return lease.gpus; });
}

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
