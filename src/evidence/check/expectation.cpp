#include "evidence/check/expectation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "plan/answer/market.h"

namespace gpuplan {

DollarsPerSecond machines_price(const PhasePlan& part) {
  if (part.offer == nullptr) return {};
  const auto& price = part.spot ? part.offer->spot_price : part.offer->price;
  if (!price) return {};
  return price->p50 * machines_paid(*part.offer, part.estimate->nodes, part.estimate->gpus);
}

Expectation expectation_of(const Job& job, const Plan& plan, const PhasePlan& part, std::string strategy) {
  const PhaseEstimate& estimate = part.estimate;
  const Phase& phase = job.phases[static_cast<std::size_t>(estimate.phase)];
  Expectation expected;
  expected.job = job.name;
  expected.phase = phase.name;
  expected.plan_id = plan.id;
  expected.plan = plan.label;
  if (estimate.node && estimate.node->gpu != nullptr) expected.gpu = estimate.node->gpu->name;
  expected.gpus = estimate.gpus;
  expected.nodes = std::max(estimate.nodes, 1);
  expected.evidence = estimate.evidence;
  expected.steps = estimate.steps;
  if (estimate.steps > 0) expected.tokens_per_step = estimate.tokens / estimate.steps;
  if (part.seconds_per_step.p50 > Seconds{}) expected.seconds_per_step = part.seconds_per_step;
  if (part.tokens_per_second.p50 > TokensPerSecond{}) expected.tokens_per_second = part.tokens_per_second;
  if (!expected.gpu.empty() && estimate.memory_total.p50 > Bytes{}) {
    expected.memory = estimate.memory_total;
    expected.allocated = estimate.memory.allocated();
    expected.reserved = estimate.memory.reserved();
    expected.usable = estimate.node->gpu->usable;
  }
  // A run is held against what the phase takes without the job's buffer.
  const double share = 1 / (1 + job.buffer);
  expected.hours = part.hours * share;
  expected.cost = part.cost * share;
  expected.price = machines_price(part);
  expected.strategy = std::move(strategy);
  const bool modelled =
      std::holds_alternative<TrainPhase>(phase.work) || std::holds_alternative<GeneratePhase>(phase.work);
  if (estimate.node && modelled) expected.batch = estimate.batch;
  if (estimate.node && std::holds_alternative<TrainPhase>(phase.work)) {
    expected.micro_batch = estimate.strategy.micro_batch;
    expected.layout = estimate.strategy;
    if (estimate.framework != nullptr) expected.framework = estimate.framework->name;
  }
  return expected;
}

}  // namespace gpuplan
