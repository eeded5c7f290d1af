#include "plan/mixed_plans.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "plan/interruptions.h"
#include "plan/machine_choice.h"
#include "plan/market.h"

namespace gpuplan {

namespace {

/// A second machine is trouble: it has to save something.
constexpr double kWorthIt = 0.02;
/// Nobody's hour is worth more, in dollars a second.
constexpr double kMostValue = 10'000.0 / 3600;

bool on_machine(const PhaseWorkload& workload) { return workload.fixed_gpus() != 0 || !workload.phase->on.empty(); }

class Mixer {
 public:
  Mixer(const Job& job, const std::vector<PhaseWorkload>& workloads, const std::vector<Setting>& settings,
        const std::vector<Choice>& choices, const Biller& biller)
      : job_(job), workloads_(workloads), settings_(settings), choices_(choices), biller_(biller) {}

  std::vector<Plan> run(const std::vector<Plan>& plans, std::string& note) {
    std::vector<std::vector<int>> needs;
    const std::vector<Slot> slots = slots_of(job_, std::vector<int>(job_.phases.size(), 0));
    for (const Slot& slot : slots) needs.push_back(slot.needs);
    const auto order = series_parallel(needs);
    if (!order) {
      note =
          "Machines were not chosen phase by phase: what the phases need crosses (it is not a chain, a tree or a "
          "diamond).";
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
          "Machines for each phase were chosen from so many schedules that some were left out; a cheaper one may "
          "exist.";
    corners(plans);
    if (job_.limits.deadline) within_deadline(plans);
    if (job_.limits.budget) within_budget(plans);
    return std::move(found_);
  }

 private:
  /// Of offers that differ in the price alone the cheapest: no schedule needs the others.
  void choose_offers() {
    const auto price = [](const Choice& c) { return c.spot ? c.offer->spot_price->p50 : c.offer->price->p50; };
    const auto terms = [&](const Choice& c) {
      const Billing& b = c.offer->billing;
      const bool taken_away = c.spot || c.offer->preemptible;
      const auto rate =
          taken_away ? interruption_rate(job_, *c.offer).value_or(Interval<PerSecond>{}).p50 : PerSecond{};
      const bool rented = c.offer->kind == OfferKind::kRented;
      return std::tuple(c.setting, c.spot, rented, rate.value, b.minimum.value, b.increment.value, b.startup.value,
                        b.startup_billed, b.term.value);
    };
    std::vector<std::pair<decltype(terms(choices_.front())), const Choice*>> known;
    for (const Choice& choice : choices_) known.emplace_back(terms(choice), &choice);
    std::ranges::stable_sort(known, [&](const auto& a, const auto& b) {
      return std::pair(a.first, price(*a.second)) < std::pair(b.first, price(*b.second));
    });
    for (std::size_t i = 0; i < known.size(); ++i)
      if (i == 0 || known[i].first != known[i - 1].first) offers_.push_back(known[i].second);
    // In the market's order: it decides ties.
    std::ranges::sort(offers_);
    for (const Choice* offer : offers_) problem_.machines.push_back(terms_of(*offer));
  }

  MachineTerms terms_of(const Choice& choice) const {
    const Offer& offer = *choice.offer;
    const Machines& machines = settings_[choice.setting].machines;
    MachineTerms terms;
    terms.price = (choice.spot ? *offer.spot_price : *offer.price).p50.value *
                  machines_paid(offer, machines.nodes, machines.gpus);
    terms.billing = offer.billing;
    terms.gpus = machines.gpus;
    // What there is only so much of is not taken twice at a time.
    terms.side_by_side = offer.kind == OfferKind::kRented || 2 * machines.gpus <= offer.gpus;
    for (const auto& [provider, most] : job_.where.quota)
      if (iequals(provider, offer.provider) && 2 * machines.gpus > most) terms.side_by_side = false;
    return terms;
  }

  void set_stages(const std::vector<std::vector<int>>& needs) {
    problem_.keep = job_.schedule != Schedule::kEachPhase;
    problem_.stages.resize(workloads_.size());
    for (std::size_t i = 0; i < workloads_.size(); ++i) {
      Stage& stage = problem_.stages[i];
      stage.needs = needs[i];
      stage.machine = on_machine(workloads_[i]);
      for (const Choice* offer : offers_) {
        const auto& estimate = settings_[offer->setting].phases[i];
        const bool runs =
            estimate && estimate->fit == Fit::kFits && (!estimate->serving || estimate->serving->reaches_target);
        stage.seconds.push_back(runs ? seconds_of(*estimate, *offer) : kNowhere);
        stage.gpus.push_back(estimate ? estimate->gpus : 0);
      }
      // The user's own machine is as fast whatever is rented.
      if (!stage.machine) stage.seconds.resize(1);
    }
    for (std::size_t i = 0; i < workloads_.size(); ++i)
      if (!job_.phases[i].on.empty()) stay(i, needs);
  }

  double seconds_of(const PhaseEstimate& estimate, const Choice& choice) const {
    const Holding holding{choice.offer, choice.spot, settings_[choice.setting].machines, {}};
    return biller_.expected(estimate, holding).value * (1 + job_.buffer);
  }

  /// Phase `i` runs on the machines of another one: that one lends them, those between leave them held.
  void stay(std::size_t i, const std::vector<std::vector<int>>& needs) {
    const std::string& name = job_.phases[i].on;
    problem_.stages[i].stays = true;
    const auto comes_after = [&](std::size_t phase, std::size_t first) {
      std::vector<std::size_t> open = {phase};
      while (!open.empty()) {
        const std::size_t p = open.back();
        open.pop_back();
        for (const int need : needs[p]) {
          if (static_cast<std::size_t>(need) == first) return true;
          open.push_back(static_cast<std::size_t>(need));
        }
      }
      return false;
    };
    const auto host = std::ranges::find(job_.phases, name, &Phase::name) - job_.phases.begin();
    for (std::size_t k = 0; k < job_.phases.size(); ++k) {
      if (k == i || !comes_after(i, k)) continue;
      const bool is_host = static_cast<std::ptrdiff_t>(k) == host;
      if (!is_host && !comes_after(k, static_cast<std::size_t>(host))) continue;
      if (is_host || job_.phases[k].on == name) problem_.stages[k].lends = true;
      else problem_.stages[k].holds = true;
    }
  }

  Plan plan_of(std::size_t point) const {
    Arrangement arrangement;
    arrangement.phases.resize(workloads_.size());
    for (std::size_t i = 0; i < workloads_.size(); ++i)
      if (!problem_.stages[i].machine) arrangement.phases[i] = *settings_[offers_.front()->setting].phases[i];
    for (const ChosenMachines& chosen : choice_->machines_of(point)) {
      const Choice& choice = *offers_[static_cast<std::size_t>(chosen.machine)];
      const Setting& setting = settings_[choice.setting];
      arrangement.holdings.push_back({choice.offer, choice.spot, setting.machines, chosen.stages});
      for (const int stage : chosen.stages)
        arrangement.phases[static_cast<std::size_t>(stage)] = *setting.phases[static_cast<std::size_t>(stage)];
    }
    LaidJob laid = biller_.lay(std::move(arrangement));
    if (join_touching(laid)) laid = biller_.lay(std::move(laid.arrangement));
    return biller_.price(laid);
  }

  /// Machines that would be given back and taken again at once are kept: never dearer, and less trouble.
  bool join_touching(LaidJob& laid) const {
    const auto begins = [&](const Holding& holding) {
      double first = kNowhere;
      for (const int phase : holding.phases) first = std::min(first, laid.starts[static_cast<std::size_t>(phase)]);
      return first - holding.offer->billing.startup.value;
    };
    const auto ends = [&](const Holding& holding) {
      double last = 0;
      for (const int phase : holding.phases) last = std::max(last, laid.ends[static_cast<std::size_t>(phase)]);
      return last;
    };
    std::vector<Holding>& holdings = laid.arrangement.holdings;
    const auto join_two = [&] {
      for (Holding& before : holdings) {
        for (auto after = holdings.begin(); after != holdings.end(); ++after) {
          const bool same = &before != &*after && same_machines(before, *after);
          const double gap = same ? begins(*after) - ends(before) : kNowhere;
          if (gap < -1 || gap > 1) continue;
          before.phases.insert(before.phases.end(), after->phases.begin(), after->phases.end());
          holdings.erase(after);
          return true;
        }
      }
      return false;
    };
    bool joined = false;
    while (join_two()) joined = true;
    return joined;
  }

  void add(Plan plan, const std::vector<Plan>& plans) {
    const auto same = [&](const Plan& other) {
      return other.id == plan.id && other.hours.p50 <= plan.hours.p50 && other.cost.p50 <= plan.cost.p50;
    };
    if (std::ranges::none_of(plans, same) && std::ranges::none_of(found_, same)) found_.push_back(std::move(plan));
  }

  /// Points that are best at some value of an hour: the lower convex hull.
  std::vector<std::size_t> hull() const {
    const auto& points = choice_->frontier();
    const auto slope = [&](std::size_t a, std::size_t b) {
      return (points[a].dollars - points[b].dollars) / (points[b].seconds - points[a].seconds);
    };
    std::vector<std::size_t> corners;
    for (std::size_t i = 0; i < points.size(); ++i) {
      while (corners.size() >= 2 && slope(corners[corners.size() - 2], corners.back()) <= slope(corners.back(), i))
        corners.pop_back();
      corners.push_back(i);
    }
    return corners;
  }

  /// Corners of the hull that beat every plan on one kind of machines at some value of an hour, and each other in time.
  void corners(const std::vector<Plan>& plans) {
    const bool all = job_.schedule == Schedule::kEachPhase;
    std::vector<Plan> hulled;
    for (const std::size_t corner : hull()) hulled.push_back(plan_of(corner));
    const auto total = [](const Plan& plan, double value) {
      return plan.cost.p50.value + value * plan.hours.p50.value;
    };
    const auto saves = [&](const Plan& mixed, double value) {
      double least = kNowhere;
      for (const Plan& plan : plans)
        if (plan.fit == Fit::kFits && plan.reaches_target) least = std::min(least, total(plan, value));
      return total(mixed, value) < least * (1 - kWorthIt);
    };
    /// Dollars a second at which both come to the same.
    const auto even = [&](std::size_t fast, std::size_t slow) {
      const double time = (hulled[slow].hours.p50 - hulled[fast].hours.p50).value;
      return time > 0 ? std::max(0.0, (hulled[fast].cost.p50 - hulled[slow].cost.p50).value / time) : kNowhere;
    };
    std::optional<Seconds> before;
    for (std::size_t c = hulled.size(); c-- > 0;) {
      const double least = c + 1 < hulled.size() ? even(c, c + 1) : 0;
      const double most = c > 0 ? even(c - 1, c) : kMostValue;
      const double from = std::min(least, kMostValue);
      const double to = std::min(most, kMostValue);
      if (!all && !saves(hulled[c], from) && !saves(hulled[c], to) && !saves(hulled[c], (from + to) / 2)) continue;
      if (before && hulled[c].hours.p50 > *before * (1 - kWorthIt)) continue;
      before = hulled[c].hours.p50;
      add(std::move(hulled[c]), plans);
    }
  }

  /// First point of [0, n) for which `holds`, which is false up to there and true from there on; n: none.
  template <class Holds>
  static std::size_t first_point(std::size_t n, Holds holds) {
    std::size_t low = 0;
    std::size_t high = n;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /// The slowest point, which is the cheapest, that is still in time.
  void within_deadline(const std::vector<Plan>& plans) {
    const std::size_t size = choice_->frontier().size();
    const std::size_t late = first_point(size, [&](std::size_t p) { return !plan_of(p).meets_deadline; });
    if (late == 0) return;
    Plan plan = plan_of(late - 1);
    const bool known = std::ranges::any_of(plans, [&](const Plan& other) {
      return other.meets_deadline && other.fit == Fit::kFits && plan.cost.p50 >= other.cost.p50 * (1 - kWorthIt);
    });
    if (!known) add(std::move(plan), plans);
  }

  /// The fastest point that is within the budget.
  void within_budget(const std::vector<Plan>& plans) {
    const std::size_t size = choice_->frontier().size();
    const std::size_t first = first_point(size, [&](std::size_t p) { return plan_of(p).meets_budget; });
    if (first == size) return;
    Plan plan = plan_of(first);
    const bool known = std::ranges::any_of(plans, [&](const Plan& other) {
      return other.meets_budget && other.fit == Fit::kFits && plan.hours.p50 >= other.hours.p50 * (1 - kWorthIt);
    });
    if (!known) add(std::move(plan), plans);
  }

  const Job& job_;
  const std::vector<PhaseWorkload>& workloads_;
  const std::vector<Setting>& settings_;
  const std::vector<Choice>& choices_;
  const Biller& biller_;
  std::vector<const Choice*> offers_;  ///< by machine of the problem
  ChoiceProblem problem_;
  const MachineChoice* choice_ = nullptr;
  std::vector<Plan> found_;
};

}  // namespace

int phases_on_machines(const std::vector<PhaseWorkload>& workloads) {
  return static_cast<int>(std::ranges::count_if(workloads, on_machine));
}

std::vector<Plan> mixed_plans(const Job& job, const std::vector<PhaseWorkload>& workloads,
                              const std::vector<Setting>& settings, const std::vector<Choice>& choices,
                              const Biller& biller, const std::vector<Plan>& plans, std::string& note) {
  return Mixer(job, workloads, settings, choices, biller).run(plans, note);
}

}  // namespace gpuplan
