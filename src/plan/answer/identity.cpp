#include "plan/answer/identity.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/offer_order.h"

namespace gpuplan {

namespace {

/// What is hashed, part by part.
class HashedParts {
 public:
  void add(std::string_view part) { hash_ = hash_of("|", hash_of(part, hash_)); }
  void add_number(double number) { add(number_text(number)); }

  void add_offer(const Offer* offer) {
    if (offer == nullptr) return add("");
    for (const Word* part : {&offer->provider, &offer->region, &offer->instance, &offer->gpu, &offer->label})
      add(*part);
    add_number(offer->gpus);
    add_number(static_cast<double>(offer->kind));
    add_terms(*offer);
  }

  std::uint64_t hash() const { return hash_; }

 private:
  /// The rest that stays from day to day. Only what an offer states: an ordinary one has none of it.
  void add_terms(const Offer& offer) {
    const auto word = [&](std::string_view name, const Word& value) {
      if (value.empty()) return;
      add(name);
      add(value);
    };
    const auto number = [&](std::string_view name, double value, double usual) {
      if (value == usual) return;
      add(name);
      add_number(value);
    };
    word("zone", offer.zone);
    word("partition", offer.partition);
    word("account", offer.account);
    word("qos", offer.qos);
    word("queue", offer.queue);
    if (offer.max_time) number("max_time", offer.max_time->value, -1);
    number("preemptible", offer.preemptible ? 1 : 0, 0);
    const Billing usual;
    number("minimum", offer.billing.minimum.value, usual.minimum.value);
    number("increment", offer.billing.increment.value, usual.increment.value);
    number("startup", offer.billing.startup.value, usual.startup.value);
    number("startup_billed", offer.billing.startup_billed ? 1 : 0, 1);
    number("term", offer.billing.term.value, usual.term.value);
  }

  std::uint64_t hash_ = hash_of("");
};

void add_strategy(const PhaseEstimate& estimate, HashedParts& parts) {
  const Strategy& s = estimate.strategy;
  for (const int number : {s.dp, s.tp, s.pp, s.cp, s.ep, s.micro_batch, s.grad_accum, s.interleave})
    parts.add_number(number);
  parts.add(name_of(s.sharding));
  parts.add(name_of(s.recompute));
  parts.add(name_of(s.offload));
  parts.add(name_of(s.attention));
  parts.add(name_of(s.placement));
  parts.add(name_of(s.precision));
  parts.add(name_of(s.weights));
  parts.add_number(s.compile ? 1 : 0);
  if (estimate.framework != nullptr) parts.add(estimate.framework->name);
}

/// Of plans of one identity: by the prices that they pay, then by all that their offers say.
bool comes_first(const Plan& a, const Plan& b) {
  const auto paid = [](const Lease& lease) {
    const auto& price = lease.spot ? lease.offer->spot_price : lease.offer->price;
    return price ? price->p50 : DollarsPerSecond{};
  };
  const std::size_t size = std::min(a.leases.size(), b.leases.size());
  for (std::size_t i = 0; i < size; ++i)
    if (paid(a.leases[i]) != paid(b.leases[i])) return paid(a.leases[i]) < paid(b.leases[i]);
  for (std::size_t i = 0; i < size; ++i) {
    if (before(*a.leases[i].offer, *b.leases[i].offer)) return true;
    if (before(*b.leases[i].offer, *a.leases[i].offer)) return false;
  }
  return a.leases.size() < b.leases.size();
}

}  // namespace

std::uint64_t identity(const Plan& plan, const std::vector<int>& order) {
  HashedParts parts;
  parts.add_offer(plan.offer);
  parts.add_number(plan.nodes);
  parts.add_number(plan.gpus);
  parts.add_number(plan.spot ? 1 : 0);
  if (plan.leases.size() > 1) {
    // Which phases share machines, and which of these are given back in between.
    std::vector<int> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    std::vector<std::vector<int>> shared;
    std::vector<std::size_t> leases(plan.leases.size());
    std::iota(leases.begin(), leases.end(), std::size_t{0});
    for (const Lease& lease : plan.leases) {
      std::vector<int>& phases = shared.emplace_back();
      for (const int phase : lease.phases) phases.push_back(rank[static_cast<std::size_t>(phase)]);
      std::ranges::sort(phases);
    }
    sort_stably(leases, [&](std::size_t a, std::size_t b) { return shared[a] < shared[b]; });
    for (const std::size_t l : leases) {
      for (const int phase : shared[l]) parts.add_number(phase);
      parts.add(plan.leases[l].spot ? "spot" : "on demand");
      parts.add_number(plan.leases[l].nodes);
      parts.add_number(plan.leases[l].gpus);
    }
  }
  for (const int position : order) {
    const PhasePlan& phase = plan.phases[static_cast<std::size_t>(position)];
    if (plan.offer == nullptr) parts.add_offer(phase.offer);
    add_strategy(*phase.estimate, parts);
  }
  return parts.hash();
}

void set_ids(std::vector<Plan>& plans) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < plans.size(); ++i) alike[plans[i].identity].push_back(i);
  for (auto& [hash, group] : alike) {
    sort_stably(group, [&](std::size_t a, std::size_t b) {
      if (comes_first(plans[a], plans[b])) return true;
      return !comes_first(plans[b], plans[a]) && a < b;
    });
    for (std::size_t n = 1; n < group.size(); ++n) plans[group[n]].identity = hash_of("#" + std::to_string(n), hash);
  }
  std::vector<Plan*> open;
  for (Plan& plan : plans) open.push_back(&plan);
  for (int signs = kShortId; !open.empty(); ++signs) {
    std::unordered_map<std::string_view, int> times;
    for (Plan* plan : open) plan->id = short_id(plan->identity, signs);
    for (const Plan* plan : open) ++times[plan->id];
    std::erase_if(open, [&](const Plan* plan) { return signs >= kLongestId || times[plan->id] == 1; });
  }
}

}  // namespace gpuplan
