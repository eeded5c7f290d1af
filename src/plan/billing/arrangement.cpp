#include "plan/billing/arrangement.h"

namespace gpuplan {

bool same_machines(const Holding& a, const Holding& b) {
  return a.offer == b.offer && a.spot == b.spot && a.machines.nodes == b.machines.nodes &&
         a.machines.gpus == b.machines.gpus;
}

std::vector<int> holdings_of(const Arrangement& arrangement) {
  std::vector<int> holdings(arrangement.phases.size(), -1);
  for (std::size_t h = 0; h < arrangement.holdings.size(); ++h)
    for (const int phase : arrangement.holdings[h].phases)
      holdings[static_cast<std::size_t>(phase)] = static_cast<int>(h);
  return holdings;
}

Arrangement all_on(const Machines& machines, const Offer* offer, bool spot,
                   const std::vector<Shared<PhaseEstimate>>& phases) {
  Arrangement arrangement{phases, {}};
  Holding holding{offer, spot, machines, {}};
  for (std::size_t i = 0; i < phases.size(); ++i) holding.phases.push_back(static_cast<int>(i));
  arrangement.holdings.push_back(std::move(holding));
  return arrangement;
}

}  // namespace gpuplan
