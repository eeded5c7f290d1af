#include "plan/ranking/ranking.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "plan/answer/market.h"

namespace gpuplan {

Availability availability_of(const Offer& offer) {
  switch (offer.stock) {
    case Stock::kSoldOut:
      return Availability::kVeryRare;
    case Stock::kLow:
      return Availability::kRare;
    case Stock::kMedium:
      return Availability::kVaries;
    case Stock::kHigh:
      return Availability::kCommon;
    case Stock::kUnsaid:
      break;
  }
  struct Words {
    std::string_view part;
    Availability means;
  };
  // Markets have no common scale. The first part that is found decides, so narrower words come first.
  static constexpr std::array kWords = {
      Words{"not known", Availability::kUnknown},
      Words{"unknown", Availability::kUnknown},
      Words{"not available", Availability::kVeryRare},
      Words{"unavailable", Availability::kVeryRare},
      Words{"sold out", Availability::kVeryRare},
      Words{"very rare", Availability::kVeryRare},
      Words{"extremely rare", Availability::kVeryRare},
      Words{"rare", Availability::kRare},
      Words{"single machine", Availability::kRare},
      Words{"lowest", Availability::kVaries},
      Words{"scarce", Availability::kRare},
      Words{"less common", Availability::kVaries},
      Words{"uncommon", Availability::kVaries},
      Words{"varies", Availability::kVaries},
      Words{"limited", Availability::kVaries},
      Words{"common", Availability::kCommon},
      Words{"available", Availability::kCommon},
      Words{"plenty", Availability::kCommon},
  };
  const std::string text = to_lower(offer.availability);
  for (const Words& words : kWords)
    if (text.find(words.part) != std::string::npos) return words.means;
  return offer.kind == OfferKind::kOwn ? Availability::kCommon : Availability::kUnknown;
}

bool is_often_away(const Offer& offer) {
  constexpr double kSteady = 0.95;
  return offer.reliability > 0 && offer.reliability < kSteady;
}

bool is_rare(const Plan& plan) {
  return plan.offer != nullptr && (availability_of(*plan.offer) >= Availability::kRare || is_often_away(*plan.offer));
}

bool is_other_stack(const Plan& plan) { return plan.node.gpu != nullptr && plan.node.gpu->vendor != "nvidia"; }

bool is_lighter(const Plan& plan) {
  return std::ranges::any_of(plan.phases, [](const PhasePlan& part) { return part.estimate->lighter; });
}

std::string_view oldest_price(const Plan& plan) {
  std::string_view oldest;
  const auto look = [&](const Offer* offer) {
    if (offer != nullptr && !offer->as_of.empty() && (oldest.empty() || offer->as_of < oldest)) oldest = offer->as_of;
  };
  look(plan.offer);
  for (const PhasePlan& part : plan.phases) look(part.offer);
  return oldest;
}

Dollars total_at(const Plan& plan, DollarsPerSecond value_of_time) {
  return plan.cost.p50 + value_of_time * plan.done();
}

GoalKey goal_key(const Job& job, Goal goal, const Plan& plan) {
  const double done = plan.done().value;
  switch (goal) {
    case Goal::kCheapest:
      return {plan.cost.p50.value, done};
    case Goal::kFastest:
      return {done, plan.cost.p50.value};
    case Goal::kFewestGpus:
      // Between as many GPUs hours count too: the least of them alone would be the slowest card that there is. Then
      // fewer different machines.
      return {static_cast<double>(plan.gpus_at_once()), total_at(plan, job.value_of_time).value,
              static_cast<double>(offers_in(plan)), done};
    case Goal::kBestValue:
      break;
  }
  return {total_at(plan, job.value_of_time).value, done};
}

GoalKey goal_key(const Job& job, const Plan& plan) { return goal_key(job, job.goal, plan); }

std::size_t offers_in(const Plan& plan) {
  std::vector<const Offer*> offers;
  for (const PhasePlan& part : plan.phases)
    if (part.offer != nullptr && std::ranges::find(offers, part.offer) == offers.end()) offers.push_back(part.offer);
  return offers.size();
}

std::optional<DollarsPerSecond> price_of(const Plan& plan) {
  if (plan.offer == nullptr) return std::nullopt;
  const Offer& offer = *plan.offer;
  if (!plan.leases.empty() && plan.leases.front().own_price) return plan.leases.front().own_price;
  const auto& price = plan.spot ? offer.spot_price : offer.price;
  return price ? std::optional(price->p50 * machines_paid(offer, plan.nodes, plan.gpus)) : std::nullopt;
}

std::optional<DollarsPerSecond> price_of_gpu(const Plan& plan) {
  const auto price = price_of(plan);
  if (!price || plan.gpus <= 0) return std::nullopt;
  return *price / plan.gpus;
}

double memory_share(const Plan& plan) {
  const PhasePlan* fullest = plan.fullest();
  if (fullest == nullptr || !fullest->estimate->node || fullest->estimate->node->gpu == nullptr) return 0;
  return fullest->estimate->memory_total.p50 / fullest->estimate->node->gpu->usable;
}

}  // namespace gpuplan
