#include "plan/machines/mixed_plans.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "plan/answer/block_billing.h"
#include "plan/machines/joined_leases.h"
#include "plan/machines/kept_mixes.h"
#include "plan/machines/machine_choice.h"
#include "plan/machines/mixed_problem.h"
#include "plan/machines/neighbours.h"
#include "plan/machines/rooms.h"

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

/// Medians of phases that may be interrupted do not add up to that of the whole, which may lie below: by less than this
/// where interruptions are as usual.
constexpr double kSpotMedian = 0.95;

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
        made_(job.where.quota) {}

  std::vector<Plan> run(const std::vector<Plan>& plans, std::string& note) {
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
    made_ = mixed_problem(job_, workloads_, machine_options_, choices_, biller_, plans, needs);
    if (offers_.empty()) return {};
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
    const std::vector<bool> kept = kept_mixes(job_, plans, mixed_, simpler_);
    std::vector<Plan> found;
    for (std::size_t i = 0; i < mixed_.size(); ++i)
      if (kept[i]) found.push_back(std::move(mixed_[i]));
    return found;
  }

 private:
  std::size_t phase_of(int stage) const {
    return static_cast<std::size_t>(biller_.order()[static_cast<std::size_t>(stage)]);
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
      LeaseRequest& lease = arrangement.leases.emplace_back(request_of(machine_options_, choice));
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
      held.push_back({lease.from, lease.to, lease.gpus, made_.rooms.of(*lease.offer)});
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
    // In queues, which are in the choice's times and in no hours.
    const auto waits = [&](const ChosenSchedule& schedule) {
      Seconds sum{};
      for (const ChosenMachines& one : schedule)
        if (const auto& wait = offers_[static_cast<std::size_t>(one.machine)]->offer->wait) sum += wait->p50;
      return sum;
    };
    const std::size_t phases = workloads_.size();
    if (phases * offers_.size() > kMostNear || phases * phases * (phases + offers_.size()) > kMostPhasesNear) return;
    const auto found = [&](std::size_t i) { return goal(mixed_[i].done(), mixed_[i].cost.p50); };
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
        if (told && goal(told->hours + waits(one.schedule), told->cost) < found(best) &&
            !bill_unless_overbooked(one.schedule))
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
    const auto found = [&](std::size_t i) { return goal(mixed_[i].done(), mixed_[i].cost.p50); };
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

  const Job& job_;
  const std::vector<PhaseWorkload>& workloads_;
  const std::vector<MachineOption>& machine_options_;
  const std::vector<Choice>& choices_;
  const Biller& biller_;
  double same_share_;
  MixedProblem made_;
  const std::vector<const Choice*>& offers_ = made_.offers;
  const ChoiceProblem& problem_ = made_.problem;
  const MachineChoice* choice_ = nullptr;
  std::vector<Plan> mixed_;                ///< schedules that were billed
  std::vector<ChosenSchedule> schedules_;  ///< the same as chosen
  struct Tried {
    ChosenSchedule schedule;
    Medians told;
  };
  std::vector<Tried> tried_;          ///< schedules near them that were laid out
  std::vector<std::size_t> simpler_;  ///< on fewer different machines, and as good as the best
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
