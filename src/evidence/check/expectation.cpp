#include "evidence/check/expectation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"
#include "plan/answer/block_billing.h"
#include "plan/answer/market.h"
#include "plan/billing/own_terms.h"

namespace gpuplan {

DollarsPerSecond machines_price(const PhasePlan& part) {
  if (part.offer == nullptr) return {};
  if (part.own_price) return *part.own_price;
  const auto& price = part.spot ? part.offer->spot_price : part.offer->price;
  if (!price) return {};
  return price->p50 * machines_paid(*part.offer, part.estimate->nodes, part.estimate->gpus);
}

std::optional<Dollars> credits_left(const Job& job, const Plan& plan) {
  Dollars sum{};
  const OwnTerms own(job);
  for (const std::string_view provider : own.credited_providers()) {
    const bool rents = std::ranges::any_of(plan.leases, [&](const Lease& lease) {
      return lease.offer != nullptr && lease.offer->kind == OfferKind::kRented &&
             iequals(lease.offer->provider, provider);
    });
    // Of any bill they pay all that they have.
    constexpr Dollars kAnyBill{1e15};
    if (rents) sum += own.credited(provider, kAnyBill, Seconds{});
  }
  if (sum <= Dollars{}) return std::nullopt;
  return plan.cost.p50 > Dollars{} ? Dollars{} : std::max(Dollars{}, sum - plan.credits);
}

Dollars Expectation::machines_cost(Seconds time) const {
  if (!billing) return price * time;
  const Seconds startup = billing->startup_billed ? billing->startup : Seconds{};
  return price * paid_for(*billing, time + startup);
}

namespace {

/// The bill of a phase that has its machines alone holds what is rounded up for it, which is no phase's own.
void bill_alone(const Plan& plan, const PhasePlan& part, double buffer, Expectation& expected) {
  const auto position = static_cast<int>(&part - plan.phases.data());
  const auto lease = std::ranges::find_if(
      plan.leases, [&](const Lease& one) { return std::ranges::find(one.phases, position) != one.phases.end(); });
  if (lease == plan.leases.end() || lease->phases.size() != 1 || lease->spot || lease->offer == nullptr) return;
  expected.billing = lease->offer->billing;
  const Dollars planned = expected.machines_cost(part.hours.p50);
  const Dollars beside = std::max(Dollars{}, lease->cost - planned);
  const auto cost = [&](Dollars whole, Seconds hours) {
    return buffer > 0 ? beside + expected.machines_cost(hours) : whole + lease->idle;
  };
  expected.cost = {cost(part.cost.p10, expected.hours.p10), cost(part.cost.p50, expected.hours.p50),
                   cost(part.cost.p90, expected.hours.p90), cost(part.cost.mean, expected.hours.mean)};
}

}  // namespace

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
  if (estimate.serving) {
    expected.first_token = estimate.serving->time_to_first_token;
    if (estimate.serving->time_per_output_token.p50 > Seconds{})
      expected.per_token = estimate.serving->time_per_output_token;
  }
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
  expected.credits_left = credits_left(job, plan);
  bill_alone(plan, part, job.buffer, expected);
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
