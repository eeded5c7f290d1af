#include "plan/machines/mixed_problem.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/usable_gpus.h"
#include "plan/answer/block_billing.h"
#include "plan/answer/market.h"
#include "plan/billing/interruptions.h"

namespace gpuplan {

namespace {

class Maker {
 public:
  Maker(const Job& job, const std::vector<PhaseWorkload>& workloads, const std::vector<MachineOption>& machine_options,
        const std::vector<Choice>& choices, const Biller& biller, const std::vector<Plan>& plans)
      : job_(job),
        workloads_(workloads),
        machine_options_(machine_options),
        choices_(choices),
        biller_(biller),
        plans_(plans),
        made_(job.where.quota) {}

  MixedProblem run(const std::vector<std::vector<int>>& needs) {
    choose_offers();
    if (!made_.offers.empty()) set_stages(needs);
    return std::move(made_);
  }

 private:
  /// Of offers that differ in the price, and in how often they are taken away, those that no cheaper one beats: no
  /// schedule needs the others.
  void choose_offers() {
    const auto group_of = [&](const Choice& c) {
      const Billing& b = c.offer->billing;
      const bool rented = c.offer->kind == OfferKind::kRented;
      // Boxes and pools of one's own are each there once: another one as good is needed beside it.
      const Offer* own = rented ? nullptr : c.offer;
      return std::tuple(machine_options_[c.option].alike, c.spot, own, terms_of(c).side_by_side, b.minimum.value,
                        b.increment.value, b.startup.value, b.startup_billed, b.term.value);
    };
    struct Known {
      decltype(group_of(choices_.front())) group;
      DollarsPerSecond price{};
      PerSecond rate{};  ///< at which they are taken away
      const Choice* choice = nullptr;
    };
    std::vector<Known> known;
    for (const Choice& choice : choices_) {
      const bool taken_away = choice.spot || choice.offer->preemptible;
      const auto rate =
          taken_away ? interruption_rate(job_, *choice.offer).value_or(Interval<PerSecond>{}).p50 : PerSecond{};
      known.push_back({group_of(choice), price_with_all(choice), rate, &choice});
    }
    sort_stably(known, {}, [](const Known& one) { return std::tuple(one.group, one.price, one.rate); });
    // Of those that stay as long as a cheaper one, none.
    PerSecond least{};
    for (std::size_t i = 0; i < known.size(); ++i) {
      const bool first = i == 0 || known[i].group != known[i - 1].group;
      if (!first && known[i].rate >= least) continue;
      least = known[i].rate;
      made_.offers.push_back(known[i].choice);
    }
    // In canonical order: it decides ties.
    std::ranges::sort(made_.offers);
    for (const Choice* offer : made_.offers) {
      MachineTerms& terms = made_.problem.machines.emplace_back(terms_of(*offer));
      terms.rooms = made_.rooms.of(*offer->offer);
    }
    made_.problem.rooms = made_.rooms.sizes();
  }

  /// Of the machines, and of what the phases that run there cost beside them, spread over their time.
  DollarsPerSecond price_with_all(const Choice& choice) const {
    Dollars dollars{};
    Seconds time{};
    for (const auto& estimate : machine_options_[choice.option].phases) {
      if (!estimate) continue;
      dollars += biller_.beside(*estimate, on(choice));
      time += ((*estimate)->work.p50 + (*estimate)->extra.p50) * (1 + job_.buffer);
    }
    const DollarsPerSecond price = terms_of(choice).price;
    return dollars > Dollars{} && time > Seconds{} ? price + dollars / time : price;
  }

  /// What credits leave of the price of these machines: as much as of the bill of the whole job there. Schedules are
  /// billed by what is left of the credits.
  double left_to_pay(const Choice& choice) const {
    if (biller_.own().credited_providers().empty()) return 1;
    const Machines& machines = machine_options_[choice.option].machines;
    for (const Plan& plan : plans_) {
      if (plan.offer != choice.offer || plan.spot != choice.spot || plan.nodes != machines.nodes ||
          plan.gpus != machines.gpus)
        continue;
      return plan.credits > Dollars{} ? plan.cost.p50 / (plan.cost.p50 + plan.credits) : 1;
    }
    return 1;
  }

  MachineTerms terms_of(const Choice& choice) const {
    const Offer& offer = *choice.offer;
    const Machines& machines = machine_options_[choice.option].machines;
    MachineTerms terms;
    terms.price = biller_.own().price(offer, choice.spot, machines.nodes, machines.gpus) * left_to_pay(choice);
    terms.billing = offer.billing;
    // Time in a queue passes as a boot does that nobody pays for.
    if (offer.wait && (terms.billing.startup <= Seconds{} || !terms.billing.startup_billed)) {
      terms.billing.startup += offer.wait->p50;
      terms.billing.startup_billed = false;
    }
    terms.gpus = machines.gpus;
    // What there is only so much of is not taken twice at a time.
    terms.side_by_side = offer.kind == OfferKind::kRented ? !is_single(offer) : 2 * machines.gpus <= usable_gpus(offer);
    for (const auto& [provider, most] : job_.where.quota)
      if (iequals(provider, offer.provider) && 2 * machines.gpus > most) terms.side_by_side = false;
    return terms;
  }

  void set_stages(const std::vector<std::vector<int>>& needs) {
    made_.problem.keep = job_.schedule != Schedule::kEachPhase;
    made_.problem.stages.resize(workloads_.size());
    for (std::size_t k = 0; k < workloads_.size(); ++k) {
      Stage& stage = made_.problem.stages[k];
      const std::size_t i = phase_of(static_cast<int>(k));
      stage.needs = needs[k];
      stage.machine = on_machine(workloads_[i]);
      for (const Choice* offer : made_.offers) {
        const auto& estimate = machine_options_[offer->option].phases[i];
        const bool runs = estimate && (*estimate)->fit == Fit::kFits &&
                          (!(*estimate)->serving || (*estimate)->serving->reaches_target);
        stage.times.push_back(runs ? time_of(*estimate, *offer) : kNowhere);
        stage.gpus.push_back(estimate ? (*estimate)->gpus : 0);
        if (stage.machine) stage.dollars.push_back(runs ? biller_.beside(*estimate, on(*offer)) : Dollars{});
      }
      // The user's own machine is as fast whatever is rented.
      if (!stage.machine) stage.times.resize(1);
    }
    for (std::size_t k = 0; k < workloads_.size(); ++k)
      if (!job_.phases[phase_of(static_cast<int>(k))].on.empty()) stay(k, needs);
  }

  /// Stage `s` runs on the machines of another one: that one lends them, those between leave them held.
  void stay(std::size_t s, const std::vector<std::vector<int>>& needs) {
    const std::string& name = job_.phases[phase_of(static_cast<int>(s))].on;
    made_.problem.stages[s].stays = true;
    // A stage comes after those it needs: one pass back from `s`, one on from the host.
    std::vector<char> earlier(needs.size(), 0), later(needs.size(), 0);
    for (std::size_t k = s + 1; k-- > 0;)
      if (k == s || earlier[k])
        for (const int need : needs[k]) earlier[static_cast<std::size_t>(need)] = 1;
    std::size_t host = 0;
    while (host < needs.size() && job_.phases[phase_of(static_cast<int>(host))].name != name) ++host;
    for (std::size_t k = host + 1; k < needs.size(); ++k)
      later[k] = std::ranges::any_of(needs[k], [&](int need) {
        const auto n = static_cast<std::size_t>(need);
        return n == host || later[n] != 0;
      });
    for (std::size_t k = 0; k < needs.size(); ++k) {
      if (!earlier[k] || (k != host && !later[k])) continue;
      if (k == host || job_.phases[phase_of(static_cast<int>(k))].on == name) made_.problem.stages[k].lends = true;
      else made_.problem.stages[k].holds = true;
    }
  }

  Seconds time_of(const PhaseEstimate& estimate, const Choice& choice) const {
    return biller_.median_time(estimate, on(choice)) * (1 + job_.buffer);
  }

  std::size_t phase_of(int stage) const {
    return static_cast<std::size_t>(biller_.order()[static_cast<std::size_t>(stage)]);
  }
  LeaseRequest on(const Choice& choice) const { return request_of(machine_options_, choice); }

  const Job& job_;
  const std::vector<PhaseWorkload>& workloads_;
  const std::vector<MachineOption>& machine_options_;
  const std::vector<Choice>& choices_;
  const Biller& biller_;
  const std::vector<Plan>& plans_;
  MixedProblem made_;
};

}  // namespace

LeaseRequest request_of(const std::vector<MachineOption>& machine_options, const Choice& choice) {
  return {choice.offer, choice.spot, machine_options[choice.option].machines, {}};
}

bool on_machine(const PhaseWorkload& workload) { return workload.fixed_gpus() != 0 || !workload.phase->on.empty(); }

MixedProblem mixed_problem(const Job& job, const std::vector<PhaseWorkload>& workloads,
                           const std::vector<MachineOption>& machine_options, const std::vector<Choice>& choices,
                           const Biller& biller, const std::vector<Plan>& plans,
                           const std::vector<std::vector<int>>& needs) {
  return Maker(job, workloads, machine_options, choices, biller, plans).run(needs);
}

}  // namespace gpuplan
