#include "plan/machines/mixed_plans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "base/whole.h"
#include "domain/market/usable_gpus.h"
#include "plan/answer/block_billing.h"
#include "plan/answer/market.h"
#include "plan/billing/interruptions.h"
#include "plan/machines/machine_choice.h"
#include "plan/machines/neighbours.h"
#include "plan/machines/rooms.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

namespace {

/// Beyond, no plan is added that has every phase on machines of its own: as many leases are laid out for it.
constexpr std::size_t kManyPhases = 100;

/// Schedules that are billed, times phases; and schedules at the least.
constexpr std::size_t kMostBilled = 4'000, kFewestBilled = 12;

/// Schedules near the best one that are laid out at a time, times phases, and schedules at the least; and as often as
/// that finds a better one, at the most.
constexpr std::size_t kMostLaid = 60, kFewestLaid = 6;
constexpr int kRounds = 6;
/// Schedules near the best one beyond which none is looked for: each phase on each machine or beside each other one.
/// And phases in all of them together, which is what looking takes.
constexpr std::size_t kMostNear = 600, kMostPhasesNear = 20'000;

/// Values of an hour above this are asked for by nobody: schedules that only they make the best are not shown.
constexpr DollarsPerSecond kMostValue = 1000 * units::dollar / units::hour;

/// Medians of phases that may be interrupted do not add up to that of the whole, which may lie below: by less than this
/// where interruptions are as usual.
constexpr double kSpotMedian = 0.95;

bool on_machine(const PhaseWorkload& workload) { return workload.fixed_gpus() != 0 || !workload.phase->on.empty(); }

class Mixer {
 public:
  Mixer(const Job& job, const std::vector<PhaseWorkload>& workloads, const std::vector<MachineOption>& machine_options,
        const std::vector<Choice>& choices, const Biller& biller, double same_share)
      : job_(job),
        workloads_(workloads),
        machine_options_(machine_options),
        choices_(choices),
        biller_(biller),
        same_share_(same_share),
        rooms_(job.where.quota) {}

  std::vector<Plan> run(const std::vector<Plan>& plans, std::string& note) {
    plans_ = &plans;
    // Stages are the phases in canonical order.
    const std::vector<Slot> slots = slots_of(job_);
    const std::vector<int>& phases = biller_.order();
    std::vector<std::vector<int>> needs(slots.size());
    for (std::size_t stage = 0; stage < phases.size(); ++stage)
      for (const int need : slots[static_cast<std::size_t>(phases[stage])].needs)
        needs[stage].push_back(slots[static_cast<std::size_t>(need)].rank);
    const auto order = series_parallel(needs);
    if (!order) {
      note =
          "Machines were not chosen per phase: the phase dependencies are not a chain, a tree or a "
          "diamond.";
      return {};
    }
    choose_offers();
    if (offers_.empty()) return {};
    set_stages(needs);
    const MachineChoice choice(problem_, *order);
    choice_ = &choice;
    if (choice.frontier().empty()) return {};
    if (!choice.exact())
      note =
          "Machines per phase: there are too many schedules to search them all; a cheaper one may "
          "exist.";
    const std::vector<std::size_t> points = points_to_bill();
    if (points.size() < choice.frontier().size())
      note = "Of " + count_text(static_cast<int>(choice.frontier().size())) +
             " schedules with separate machines per phase " + count_text(static_cast<int>(points.size())) +
             " were computed, from the fastest to the cheapest; one in between may be better.";
    for (const std::size_t point : points) bill(choice.machines_of(point));
    if (const auto fastest = each_on_its_fastest(); fastest && !known(*fastest)) bill(*fastest);
    for (const DollarsPerSecond value : {DollarsPerSecond{}, job_.value_of_time})
      if (const auto best = each_on_its_best(value); best && !known(*best)) bill(*best);
    if (mixed_.empty()) return {};
    improve([](Seconds, Dollars cost) { return cost.value; });
    improve([](Seconds hours, Dollars) { return hours.value; });
    const auto value = [&](Seconds hours, Dollars cost) { return (cost + job_.value_of_time * hours).value; };
    improve(value);
    simplify(value);
    keep_answers();
    keep_corners(plans);
    std::vector<Plan> found;
    for (std::size_t i = 0; i < mixed_.size(); ++i)
      if (kept_[i] && std::ranges::none_of(plans, [&](const Plan& plan) { return takes_the_place(plan, mixed_[i]); }))
        found.push_back(std::move(mixed_[i]));
    return found;
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
      offers_.push_back(known[i].choice);
    }
    // In canonical order: it decides ties.
    std::ranges::sort(offers_);
    for (const Choice* offer : offers_) {
      MachineTerms& terms = problem_.machines.emplace_back(terms_of(*offer));
      terms.rooms = rooms_.of(*offer->offer);
    }
    problem_.rooms = rooms_.sizes();
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
    for (const Plan& plan : *plans_) {
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
    terms.gpus = machines.gpus;
    // What there is only so much of is not taken twice at a time.
    terms.side_by_side = offer.kind == OfferKind::kRented ? !is_single(offer) : 2 * machines.gpus <= usable_gpus(offer);
    for (const auto& [provider, most] : job_.where.quota)
      if (iequals(provider, offer.provider) && 2 * machines.gpus > most) terms.side_by_side = false;
    return terms;
  }

  void set_stages(const std::vector<std::vector<int>>& needs) {
    problem_.keep = job_.schedule != Schedule::kEachPhase;
    problem_.stages.resize(workloads_.size());
    for (std::size_t k = 0; k < workloads_.size(); ++k) {
      Stage& stage = problem_.stages[k];
      const std::size_t i = phase_of(static_cast<int>(k));
      stage.needs = needs[k];
      stage.machine = on_machine(workloads_[i]);
      for (const Choice* offer : offers_) {
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

  std::size_t phase_of(int stage) const {
    return static_cast<std::size_t>(biller_.order()[static_cast<std::size_t>(stage)]);
  }

  LeaseRequest on(const Choice& choice) const {
    return {choice.offer, choice.spot, machine_options_[choice.option].machines, {}};
  }

  Seconds time_of(const PhaseEstimate& estimate, const Choice& choice) const {
    return biller_.median_time(estimate, on(choice)) * (1 + job_.buffer);
  }

  /// Stage `s` runs on the machines of another one: that one lends them, those between leave them held.
  void stay(std::size_t s, const std::vector<std::vector<int>>& needs) {
    const std::string& name = job_.phases[phase_of(static_cast<int>(s))].on;
    problem_.stages[s].stays = true;
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
      if (k == host || job_.phases[phase_of(static_cast<int>(k))].on == name) problem_.stages[k].lends = true;
      else problem_.stages[k].holds = true;
    }
  }

  /// All points of the choice's frontier; of jobs with very many phases, whose frontiers are as long, so many that
  /// billing them takes time in proportion to the phases, evenly from end to end.
  std::vector<std::size_t> points_to_bill() const {
    const std::size_t all = choice_->frontier().size();
    const std::size_t most = std::min(all, std::max(kFewestBilled, kMostBilled / workloads_.size()));
    std::vector<std::size_t> points(most);
    for (std::size_t i = 0; i < most; ++i) points[i] = most == 1 ? 0 : i * (all - 1) / (most - 1);
    return points;
  }

  Arrangement arrangement_for(const ChosenSchedule& schedule) const {
    Arrangement arrangement;
    arrangement.phases.resize(workloads_.size());
    for (std::size_t k = 0; k < workloads_.size(); ++k)
      if (const std::size_t i = phase_of(static_cast<int>(k)); !problem_.stages[k].machine)
        arrangement.phases[i] = *machine_options_[offers_.front()->option].phases[i];
    for (const ChosenMachines& chosen : schedule) {
      const Choice& choice = *offers_[static_cast<std::size_t>(chosen.machine)];
      const MachineOption& option = machine_options_[choice.option];
      LeaseRequest& lease =
          arrangement.leases.emplace_back(LeaseRequest{choice.offer, choice.spot, option.machines, {}});
      for (const int stage : chosen.stages) {
        const std::size_t i = phase_of(stage);
        lease.phases.push_back(static_cast<int>(i));
        arrangement.phases[i] = *option.phases[i];
      }
    }
    return arrangement;
  }

  /// Machines that would be given back and taken again at once are kept: never dearer, and less trouble.
  JobSchedule laid_out(const ChosenSchedule& schedule) const {
    JobSchedule laid = biller_.schedule_for_starts(arrangement_for(schedule));
    join_touching(laid);
    return biller_.schedule(std::move(laid.arrangement));
  }

  bool known(const ChosenSchedule& schedule) const {
    return std::ranges::find(schedules_, schedule) != schedules_.end();
  }

  /// Of a schedule that needs more GPUs of something at one time than there are, the one that shares them.
  void bill(ChosenSchedule schedule) {
    // Each time one lease less.
    while (const auto room = bill_unless_overbooked(schedule))
      if (!share(schedule, *room) || known(schedule)) return;
  }

  /// The room of which it needs more GPUs at one time than there are; nullopt: it was billed.
  std::optional<int> bill_unless_overbooked(const ChosenSchedule& schedule) {
    Plan plan = biller_.price(laid_out(schedule));
    std::vector<HeldMachines> held;
    for (const Lease& lease : plan.leases) {
      held.push_back({lease.from, lease.to, lease.gpus, rooms_.of(*lease.offer)});
      // Of a machine that there is one of nobody knows that it is still to be had once it was given back.
      if (is_single(*lease.offer)) held.back().from = {}, held.back().to = kNowhere;
    }
    if (const auto room = overbooked(problem_.rooms, held)) return room;
    mixed_.push_back(std::move(plan));
    schedules_.push_back(schedule);
    return std::nullopt;
  }

  /// Puts all stages that take GPUs from this room on the largest of the machines that they have there; false where
  /// they have one machine already, or may not share it.
  bool share(ChosenSchedule& schedule, int room) const {
    const auto takes = [&](const ChosenMachines& one) {
      const std::vector<int>& rooms = problem_.machines[static_cast<std::size_t>(one.machine)].rooms;
      return std::ranges::find(rooms, room) != rooms.end();
    };
    ChosenMachines all{-1, {}};
    for (const ChosenMachines& one : schedule) {
      if (!takes(one)) continue;
      all.stages.insert(all.stages.end(), one.stages.begin(), one.stages.end());
      const auto gpus = [&](int machine) { return problem_.machines[static_cast<std::size_t>(machine)].gpus; };
      if (all.machine < 0 || gpus(one.machine) > gpus(all.machine)) all.machine = one.machine;
    }
    const auto runs = [&](int stage) {
      return problem_.stages[static_cast<std::size_t>(stage)].times[static_cast<std::size_t>(all.machine)] < kNowhere;
    };
    if (!problem_.keep || std::ranges::count_if(schedule, takes) < 2 || !std::ranges::all_of(all.stages, runs))
      return false;
    std::ranges::sort(all.stages);
    std::erase_if(schedule, takes);
    schedule.push_back(std::move(all));
    return true;
  }

  /// What a schedule is told to take; nullopt when it would have to be laid out for that and may not.
  std::optional<Medians> told_of(const ChosenSchedule& schedule, bool may_lay_out) {
    if (const auto tried = std::ranges::find(tried_, schedule, &Tried::schedule); tried != tried_.end())
      return tried->told;
    if (!may_lay_out) return std::nullopt;
    tried_.push_back({schedule, biller_.medians(biller_.schedule_for_medians(arrangement_for(schedule)))});
    return tried_.back().told;
  }

  /// Of the schedules that were billed, the first where `found` is least.
  template <class Found>
  std::size_t best_by(const Found& found) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < mixed_.size(); ++i)
      if (found(i) < found(best)) best = i;
    return best;
  }

  /// Looks at schedules near the best for a goal until none is better. The choice above counts with medians, and those
  /// of phases do not add up to that of the whole: what is a little dearer or slower by the one may be best by the
  /// other, most where a phase off the critical path ends as late as the path when luck is bad. What its medians alone
  /// make worse than the best one known is not laid out.
  template <class Goal>
  void improve(const Goal& goal) {
    const std::size_t phases = workloads_.size();
    if (phases * offers_.size() > kMostNear || phases * phases * (phases + offers_.size()) > kMostPhasesNear) return;
    const auto found = [&](std::size_t i) { return goal(mixed_[i].hours.p50, mixed_[i].cost.p50); };
    struct Near {
      double bound;
      Seconds work;
      ChosenSchedule schedule;
    };
    std::size_t best = best_by(found);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Near> near;
      for (ChosenSchedule& schedule : neighbours(problem_, schedules_[best])) {
        const auto medians = by_medians(problem_, schedule);
        if (!medians) continue;
        double bound = goal(medians->hours, medians->cost);
        if (std::ranges::any_of(schedule, [&](const ChosenMachines& one) {
              return offers_[static_cast<std::size_t>(one.machine)]->spot;
            }))
          bound *= kSpotMedian;
        if (bound < found(best) && !known(schedule)) near.push_back({bound, medians->work, std::move(schedule)});
      }
      sort_stably(near, {}, [](const Near& one) { return std::pair(one.bound, one.work); });
      const std::size_t before = best;
      const std::size_t most = tried_.size() + std::max(kFewestLaid, kMostLaid / phases);
      for (const Near& one : near) {
        if (one.bound >= found(best)) break;
        const auto told = told_of(one.schedule, tried_.size() < most);
        if (told && goal(told->hours, told->cost) < found(best) && !bill_unless_overbooked(one.schedule))
          best = mixed_.size() - 1;
      }
      if (best == before) return;
    }
  }

  /// The same without one of its machines: its stages go to those of others, or on such machines of their own.
  std::vector<ChosenSchedule> without_one(const ChosenSchedule& schedule) const {
    std::vector<ChosenSchedule> found;
    for (std::size_t h = 0; h < schedule.size(); ++h)
      for (std::size_t other = 0; other < schedule.size(); ++other) {
        if (schedule[other].machine == schedule[h].machine) continue;
        found.push_back(schedule);
        found.back()[h].machine = schedule[other].machine;
        if (!problem_.keep) continue;
        found.push_back(schedule);
        std::vector<int>& stages = found.back()[other].stages;
        stages.insert(stages.end(), schedule[h].stages.begin(), schedule[h].stages.end());
        std::ranges::sort(stages);
        found.back().erase(found.back().begin() + static_cast<std::ptrdiff_t>(h));
      }
    return found;
  }

  /// Looks for schedules on fewer different machines that are as good as the best for a goal: a further machine is
  /// trouble, whatever is saved by it.
  template <class Goal>
  void simplify(const Goal& goal) {
    if (workloads_.size() > kManyPhases) return;
    const auto found = [&](std::size_t i) { return goal(mixed_[i].hours.p50, mixed_[i].cost.p50); };
    const auto kinds = [&](const ChosenSchedule& schedule) {
      std::set<const Offer*> offers;
      for (const ChosenMachines& one : schedule) offers.insert(offers_[static_cast<std::size_t>(one.machine)]->offer);
      return offers.size();
    };
    std::size_t at = best_by(found);
    const double most = found(at) * (1 + same_share_);
    for (;;) {
      std::optional<ChosenSchedule> best;
      double least = most;
      for (ChosenSchedule& schedule : without_one(schedules_[at])) {
        if (kinds(schedule) >= kinds(schedules_[at])) continue;
        const auto medians = by_medians(problem_, schedule);
        if (!medians || goal(medians->hours, medians->cost) > least) continue;
        least = goal(medians->hours, medians->cost);
        best = std::move(schedule);
      }
      if (!best) return;
      at = static_cast<std::size_t>(std::ranges::find(schedules_, *best) - schedules_.begin());
      if (at == schedules_.size() && bill_unless_overbooked(*best)) return;
      if (found(at) > most) return;
      simpler_.push_back(at);
    }
  }

  /// The machine where `key` of a phase is least, of those where it runs.
  template <class Key>
  std::optional<std::size_t> least_machine(const Stage& stage, const Key& key) const {
    std::optional<std::size_t> best;
    for (std::size_t m = 0; m < offers_.size(); ++m)
      if (stage.times[m] < kNowhere && (!best || key(m) < key(*best))) best = m;
    return best;
  }

  /// Every phase on the machine that is fastest for it. The choice above counts with medians, for which a phase off the
  /// critical path may take any machine; of times that are uncertain the longest decides, and this plan's is the least.
  std::optional<ChosenSchedule> each_on_its_fastest() const {
    if (workloads_.size() > kManyPhases) return std::nullopt;  // the schedules above come near, and leases are joined
    ChosenSchedule schedule;
    for (std::size_t k = 0; k < workloads_.size(); ++k) {
      const Stage& stage = problem_.stages[k];
      if (!stage.machine) continue;
      const auto best = least_machine(stage, [&](std::size_t m) {
        return std::pair(stage.times[m] + problem_.machines[m].billing.startup, problem_.machines[m].price);
      });
      if (stage.stays || !best || !problem_.machines[*best].side_by_side) return std::nullopt;
      schedule.push_back({static_cast<int>(*best), {static_cast<int>(k)}});
    }
    return schedule;
  }

  /// Every phase on the machine that costs least for it, with its time at this value. The choice above takes what there
  /// is one of for one branch of several, or for all of them; here it stands beside rented ones.
  std::optional<ChosenSchedule> each_on_its_best(DollarsPerSecond value) const {
    if (workloads_.size() > kManyPhases) return std::nullopt;
    ChosenSchedule schedule;
    for (std::size_t k = 0; k < workloads_.size(); ++k) {
      const Stage& stage = problem_.stages[k];
      if (!stage.machine) continue;
      const auto best = least_machine(stage, [&](std::size_t m) {
        const MachineTerms& terms = problem_.machines[m];
        const Seconds used = stage.times[m] + (terms.billing.startup_billed ? terms.billing.startup : Seconds{});
        return std::pair(terms.price * paid_for(terms.billing, used) + stage.dollars[m] + value * stage.times[m],
                         stage.times[m]);
      });
      if (stage.stays || !best) return std::nullopt;
      const int machine = static_cast<int>(*best);
      const auto held = std::ranges::find(schedule, machine, &ChosenMachines::machine);
      if (held != schedule.end() && !problem_.machines[*best].side_by_side) held->stages.push_back(static_cast<int>(k));
      else schedule.push_back({machine, {static_cast<int>(k)}});
    }
    return schedule;
  }

  /// Joins machines of one kind that are given back and taken again at once.
  void join_touching(JobSchedule& laid) const {
    std::vector<LeaseRequest>& leases = laid.arrangement.leases;
    std::vector<Seconds> begins, ends;
    // Of each kind of machines those that may be joined to others, by when they begin.
    std::map<std::tuple<const Offer*, bool, int, int>, std::set<std::pair<Seconds, std::size_t>>> kinds;
    const auto alike = [&](const LeaseRequest& lease) -> auto& {
      return kinds[{lease.offer, lease.spot, lease.machines.nodes, lease.machines.gpus}];
    };
    for (std::size_t h = 0; h < leases.size(); ++h) {
      Seconds first = kNowhere;
      Seconds last{};
      for (const int phase : leases[h].phases) {
        first = std::min(first, laid.starts[static_cast<std::size_t>(phase)]);
        last = std::max(last, laid.ends[static_cast<std::size_t>(phase)]);
      }
      begins.push_back(first - leases[h].offer->billing.startup);
      ends.push_back(last);
      alike(leases[h]).emplace(begins[h], h);
    }
    /// The first in the list that begins when `h` ends.
    const auto next_of = [&](std::size_t h) {
      constexpr Seconds kTouch{1};  // between them
      std::size_t next = leases.size();
      const auto& others = alike(leases[h]);
      for (auto at = others.lower_bound({ends[h] - 2 * kTouch, 0}); at != others.end(); ++at) {
        const Seconds gap = at->first - ends[h];
        if (gap > kTouch) break;
        if (gap >= -kTouch && at->second != h) next = std::min(next, at->second);
      }
      return next;
    };
    std::vector<char> joined(leases.size(), 0);
    for (std::size_t h = 0; h < leases.size();) {
      const std::size_t next = joined[h] ? leases.size() : next_of(h);
      if (next == leases.size()) {
        ++h;
        continue;
      }
      leases[h].phases.insert(leases[h].phases.end(), leases[next].phases.begin(), leases[next].phases.end());
      joined[next] = 1;
      auto& others = alike(leases[h]);
      others.erase({begins[next], next});
      ends[h] = std::max(ends[h], ends[next]);
      if (begins[next] >= begins[h]) continue;
      // It begins earlier now: one that stands before it in the list may touch it.
      others.erase({begins[h], h});
      begins[h] = begins[next];
      others.emplace(begins[h], h);
      h = 0;
    }
    const auto gone = [&](const LeaseRequest& lease) {
      return joined[static_cast<std::size_t>(&lease - leases.data())] != 0;
    };
    if (std::ranges::none_of(leases, gone)) return;
    std::vector<LeaseRequest> left;
    for (LeaseRequest& lease : leases)
      if (!gone(lease)) left.push_back(std::move(lease));
    leases = std::move(left);
  }

  // Which schedules become plans. Whatever is asked, the best of them all is among these, and nothing is left out for
  // being better by too little: a second machine is trouble, but were a saving of a few percent asked for it, a further
  // offer on the market could make the best plan worse. Of ties the plan on one kind of machines stays.

  /// A plan on one kind of machines that is as good in everything.
  static bool takes_the_place(const Plan& one, const Plan& mixed) {
    return one.fit == Fit::kFits && one.reaches_target && one.done() <= mixed.done() &&
           one.cost.p50 <= mixed.cost.p50 && (one.meets_deadline || !mixed.meets_deadline) &&
           (one.meets_budget || !mixed.meets_budget);
  }

  /// What would be recommended for any goal, and within the limits.
  void keep_answers() {
    kept_.assign(mixed_.size(), false);
    const Recommendations best = recommend(job_, mixed_);
    for (const auto& position : {best.cheapest, best.fastest, best.best_value, best.fewest_gpus, best.within_deadline,
                                 best.within_budget, best.pick})
      if (position) kept_[static_cast<std::size_t>(*position)] = true;
    for (const std::size_t position : simpler_) kept_[position] = true;
  }

  /// What is best at some value of an hour: the corners of the lower convex hull of all plans. What nothing on the
  /// frontier uses is no corner, and may be on the market or not.
  void keep_corners(const std::vector<Plan>& plans) {
    std::vector<Corner> all;
    for (const Plan& plan : plans)
      if (plan.fit == Fit::kFits && plan.reaches_target) all.push_back({plan.done(), plan.cost.p50, std::nullopt});
    for (std::size_t i = 0; i < mixed_.size(); ++i) all.push_back({mixed_[i].done(), mixed_[i].cost.p50, i});
    // nullopt first: of ties the plan on one kind of machines.
    sort_stably(all, {}, [](const Corner& c) { return std::tuple(c.hours, c.cost, c.mixed); });
    std::vector<Corner> hull;
    const auto slope = [](const Corner& a, const Corner& b) { return (a.cost - b.cost) / (b.hours - a.hours); };
    for (const Corner& next : all) {
      if (!hull.empty() && next.cost >= hull.back().cost) continue;
      while (hull.size() >= 2 && slope(hull[hull.size() - 2], hull.back()) <= slope(hull.back(), next)) hull.pop_back();
      hull.push_back(next);
    }
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const bool wanted = i + 1 == hull.size() || slope(hull[i], hull[i + 1]) <= kMostValue;
      if (hull[i].mixed && wanted) kept_[*hull[i].mixed] = true;
    }
  }

  struct Corner {
    Seconds hours;
    Dollars cost;
    std::optional<std::size_t> mixed;
  };

  const Job& job_;
  const std::vector<PhaseWorkload>& workloads_;
  const std::vector<MachineOption>& machine_options_;
  const std::vector<Choice>& choices_;
  const Biller& biller_;
  double same_share_;
  const std::vector<Plan>* plans_ = nullptr;  ///< all phases on one offer
  std::vector<const Choice*> offers_;         ///< by machine of the problem
  ChoiceProblem problem_;
  Rooms rooms_;
  const MachineChoice* choice_ = nullptr;
  std::vector<Plan> mixed_;                ///< schedules that were billed
  std::vector<ChosenSchedule> schedules_;  ///< the same as chosen
  struct Tried {
    ChosenSchedule schedule;
    Medians told;
  };
  std::vector<Tried> tried_;          ///< schedules near them that were laid out
  std::vector<std::size_t> simpler_;  ///< on fewer different machines, and as good as the best
  std::vector<bool> kept_;            ///< which of them become plans
};

}  // namespace

int phases_on_machines(const std::vector<PhaseWorkload>& workloads) {
  return static_cast<int>(std::ranges::count_if(workloads, on_machine));
}

std::vector<Plan> mixed_plans(const Job& job, const std::vector<PhaseWorkload>& workloads,
                              const std::vector<MachineOption>& machine_options, const std::vector<Choice>& choices,
                              const Biller& biller, double same_share, const std::vector<Plan>& plans,
                              std::string& note) {
  return Mixer(job, workloads, machine_options, choices, biller, same_share).run(plans, note);
}

}  // namespace gpuplan
