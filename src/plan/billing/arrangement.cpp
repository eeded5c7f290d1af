#include "plan/billing/arrangement.h"

namespace gpuplan {

bool same_machines(const LeaseRequest& a, const LeaseRequest& b) {
  return a.offer == b.offer && a.spot == b.spot && a.machines.nodes == b.machines.nodes &&
         a.machines.gpus == b.machines.gpus;
}

std::vector<int> leases_of(const Arrangement& arrangement) {
  std::vector<int> leases(arrangement.phases.size(), -1);
  for (std::size_t h = 0; h < arrangement.leases.size(); ++h)
    for (const int phase : arrangement.leases[h].phases) leases[static_cast<std::size_t>(phase)] = static_cast<int>(h);
  return leases;
}

Arrangement all_on(const Machines& machines, const Offer* offer, bool spot,
                   const std::vector<Shared<PhaseEstimate>>& phases) {
  Arrangement arrangement{phases, {}};
  LeaseRequest lease{offer, spot, machines, {}};
  for (std::size_t i = 0; i < phases.size(); ++i) lease.phases.push_back(static_cast<int>(i));
  arrangement.leases.push_back(std::move(lease));
  return arrangement;
}

}  // namespace gpuplan
