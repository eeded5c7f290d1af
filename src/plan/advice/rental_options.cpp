#include "plan/advice/rental_options.h"

#include <algorithm>

#include "plan/billing/ledger.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

namespace {

/// The cheapest of the plans on all of `offers`; where a plan rents several, those that leave some of them out rent
/// other machines. nullptr: none of them.
const Plan* cheapest_on(const std::vector<Offer>& offers, const std::vector<Plan>& plans) {
  const Plan* cheapest = nullptr;
  for (const Plan& plan : plans) {
    const auto used = [&](const Offer& offer) {
      return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) { return part.offer == &offer; });
    };
    if (!std::ranges::all_of(offers, used)) continue;
    if (cheapest == nullptr || plan.cost.p50 < cheapest->cost.p50) cheapest = &plan;
  }
  return cheapest;
}

/// The job on as many of the same machines. Where its phases are on several offers, it may choose among these as it
/// did.
Job same_machines(const Job& job, const Plan& plan) {
  Job asked = job;
  if (plan.offer == nullptr) return asked;
  asked.goal = Goal::kCheapest;
  asked.where.nodes = {plan.nodes};
  asked.where.counts = {plan.gpus};
  return asked;
}

}  // namespace

RentalOption option_of(const Job& job, const Plan& plan, Schedule schedule, bool spot) {
  RentalOption option;
  option.schedule = schedule;
  option.spot = spot;
  option.kept = plan.kept;
  option.at_once = plan.at_once;
  Job asked = job;
  asked.schedule = schedule;
  option.human_without = std::ranges::any_of(job.phases, [&](const Phase& phase) { return let_go(asked, phase); });
  option.hours = plan.hours;
  option.cost = plan.cost;
  option.machines = plan.machines_cost();
  option.gpu_hours = plan.gpu_hours;
  option.billed_gpu_hours = plan.billed_gpu_hours;
  const StretchLedger ledger = stretch_ledger(job, plan);
  option.idle = ledger.idle + std::max(ledger.beyond, Dollars{});
  option.interruptions = plan.interruptions;
  option.chance_of_interruption = plan.chance_of_interruption();
  option.chance_in_time = plan.chance_in_time;
  option.chance_in_budget = plan.chance_in_budget;
  return option;
}

std::vector<Offer> offers_of(const Plan& plan) {
  std::vector<const Offer*> seen;
  std::vector<Offer> offers;
  for (const PhasePlan& part : plan.phases) {
    if (part.offer == nullptr || std::ranges::find(seen, part.offer) != seen.end()) continue;
    seen.push_back(part.offer);
    offers.push_back(*part.offer);
  }
  return offers;
}

std::vector<RentalOption> rental_options(const Job& job, const Catalogue& catalogue, const Plan& plan,
                                         const SearchOptions& options) {
  const std::vector<Offer> offers = offers_of(plan);
  std::vector<RentalOption> result;
  if (offers.empty()) return result;
  SearchOptions how = options;
  how.chances = false;
  for (const bool spot : {false, true}) {
    for (const Schedule schedule : {Schedule::kKeep, Schedule::kStopWhenIdle}) {
      Job asked = same_machines(job, plan);
      asked.where.spot = spot ? SpotUse::kOnly : SpotUse::kNever;
      // A pool has one price, whatever becomes of its jobs: it is one option.
      asked.where.spot_given = false;
      asked.schedule = schedule;
      const auto found = search(asked, catalogue, offers, how);
      if (!found) continue;
      const Plan* taken = nullptr;
      if (plan.offer == nullptr) taken = cheapest_on(offers, found->plans);
      else if (const auto cheapest = found->recommendations.cheapest)
        taken = &found->plans[static_cast<std::size_t>(*cheapest)];
      if (taken == nullptr || (spot && std::ranges::none_of(taken->leases, &Lease::spot))) continue;
      result.push_back(option_of(asked, *taken, schedule, spot));
    }
  }
  return result;
}

bool is_plan(const RentalOption& option, const Plan& plan) {
  return option.spot == plan.spot && option.kept == plan.kept && option.at_once == plan.at_once &&
         option.cost.p50 == plan.cost.p50 && option.hours.p50 == plan.hours.p50;
}

std::optional<std::size_t> cheaper_way(const Job& job, const Plan& plan, const std::vector<RentalOption>& options) {
  constexpr double kClearly = 0.9, kHardly = 1.05;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const RentalOption& option = options[i];
    const auto keeps = [&](const std::optional<double>& chance) {
      return !chance || *chance >= job.limits.confidence || !plan.keeps_limits();
    };
    if (option.cost.p50 >= kClearly * plan.cost.p50 || option.hours.p50 > kHardly * plan.hours.p50) continue;
    if (!keeps(option.chance_in_time) || !keeps(option.chance_in_budget)) continue;
    if (!best || option.cost.p50 < options[*best].cost.p50) best = i;
  }
  return best;
}

}  // namespace gpuplan
