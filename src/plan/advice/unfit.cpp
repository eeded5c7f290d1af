#include "plan/advice/unfit.h"

#include <algorithm>

#include "plan/capacity/machines.h"

namespace gpuplan {

namespace {

int product_of(const Parallel& parallel) {
  return parallel.dp.value_or(1) * parallel.tp.value_or(1) * parallel.pp.value_or(1) * parallel.cp.value_or(1);
}

/// Named by the phase, whatever the schedule does with it; at least those that its degrees take.
int named_gpus(const Phase& phase) {
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) return product_of(train->parallel);
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) return product_of(generate->parallel);
  if (const auto* fixed = std::get_if<FixedPhase>(&phase.work)) return fixed->gpus;
  if (const auto* work = std::get_if<WorkPhase>(&phase.work)) return work->gpus;
  return 0;
}

}  // namespace

std::vector<UnfitPhase> unfit_phases(const Job& job, const Catalogue& catalogue, std::span<const Offer> market,
                                     const SearchOptions& options) {
  const std::vector<Offer> offers(market.begin(), market.end());
  int most = 0;
  for (const Offer& offer : offers)
    for (const Machines& machines : machines_on(job, catalogue, offer)) most = std::max(most, machines.gpus);
  std::vector<UnfitPhase> unfit;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    Job alone = job;
    alone.phases = {job.phases[i]};
    alone.phases.front().needs.clear();
    alone.phases.front().on.clear();
    alone.limits = {};
    const auto found = search(alone, catalogue, offers, options);
    if (!found || found->tally.feasible > 0 || !found->plans.empty()) continue;
    unfit.push_back({static_cast<int>(i), named_gpus(job.phases[i]), most, found->tally});
  }
  return unfit;
}

}  // namespace gpuplan
