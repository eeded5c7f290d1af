#include "plan/search.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/threads/parallel.h"
#include "domain/market/offer_order.h"
#include "plan/answer/identity.h"
#include "plan/billing/bill.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/timeline.h"
#include "plan/capacity/given_evidence.h"
#include "plan/capacity/machines.h"
#include "plan/capacity/offer_machines.h"
#include "plan/machines/mixed_plans.h"
#include "plan/notes/assumptions.h"
#include "plan/notes/batch_notes.h"
#include "plan/notes/guesses.h"
#include "plan/ranking/frontier.h"
#include "plan/ranking/recommendation.h"
#include "plan/strategy/choices.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

namespace {

/// Machines that differ in host memory and disk at most have equal keys.
auto kind_of(const Machines& m) {
  const NodeShape& n = m.node;
  return std::tuple(n.gpu, n.gpus, n.busy, n.link, n.link_kind, n.peer_access, n.network, n.front, m.nodes, m.gpus,
                    m.exact, m.max_time, m.joined);
}

/// Machines that need one estimate only have equal keys.
auto place_of(const Machines& m) { return std::tuple(kind_of(m), m.node.ram, m.node.disk); }

class Search {
 public:
  Search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market, const SearchOptions& options)
      : job_(job), catalogue_(catalogue), market_(market), options_(options) {}

  Result<SearchResult> run() {
    auto workloads = prepare(job_);
    if (!workloads) return std::unexpected<Error>(std::move(workloads.error()));
    workloads_ = std::move(*workloads);
    if (!options_.ignore_given) taught_ = learned_from_given(workloads_, catalogue_);
    if (taught_)
      for (PhaseWorkload& workload : workloads_) workload.errors = &*taught_;
    lay_out();
    order_ = canonical_order(job_);
    estimate();
    SearchResult result;
    result.market.providers = options_.common != nullptr ? *options_.common : providers_by_gpu(market_);
    make_plans(result);
    const Seconds longest = catalogue_.practice_constants.longest_days * units::day;
    for (Plan& plan : result.plans) plan.too_long = plan.done() > longest;
    set_ids(result.plans);
    mark_frontier(result.plans);
    result.values = value_ranges(result.plans);
    result.recommendations =
        recommend(job_, result.plans,
                  {errors(), catalogue_.answer_constants.beside_shared, catalogue_.practice_constants, options_.seed,
                   result.market.providers, options_.chances});
    describe_market(result);
    result.assumptions = assumptions(job_, catalogue_, result.plans);
    if (result.recommendations.pick) {
      const Plan& pick = result.plans[static_cast<std::size_t>(*result.recommendations.pick)];
      add_batch_notes(job_, pick, result.assumptions);
      for (const Guess& guess : guesses_that_matter(job_, catalogue_, pick))
        result.assumptions.push_back(guess_words(job_, guess));
    }
    if (!note_.empty()) result.assumptions.push_back(note_);
    result.errors = taught_;
    return result;
  }

 private:
  const ErrorModel& errors() const { return taught_ ? *taught_ : catalogue_.errors; }

  /// One option laid out, machines kept and, where that makes a difference, let go while idle; and what their bills
  /// have in common.
  struct Laid {
    Seconds startup{};
    bool startup_billed = true;
    std::optional<JobSchedule> kept, let_go;
    BilledBefore bills_kept, bills_let_go;
  };

  void lay_out() {
    // By what they say: their order in a list has no part in the answer.
    std::vector<const Offer*> offers;
    for (const Offer& offer : market_) offers.push_back(&offer);
    const auto first = [](const Offer* a, const Offer* b) { return before(*a, *b); };
    if (!std::ranges::is_sorted(offers, first)) std::ranges::stable_sort(offers, first);
    MachineRows rows(catalogue_);
    for (const Offer* offer : offers)
      for (const Machines& machines : machines_on(job_, catalogue_, rows, *offer)) add(*offer, machines);
    std::ranges::stable_sort(choices_, {}, &Choice::option);
  }

  void add(const Offer& offer, const Machines& machines) {
    // Jobs of a preemptible pool are interrupted as spot machines are, at the pool's one price.
    const SpotUse use = job_.where.spot;
    if (offer.preemptible && use == SpotUse::kNever && job_.where.spot_given) {
      preemptible_.insert(&offer);
      return;
    }
    const auto [known, fresh] = places_.emplace(place_of(machines), machine_options_.size());
    const std::size_t position = known->second;
    if (fresh) {
      machine_options_.push_back({machines, position, {}, {}, false});
      kinds_[kind_of(machines)].push_back(position);
    }
    if ((use != SpotUse::kOnly || offer.preemptible) && offer.price) choices_.push_back({&offer, position, false});
    if (job_.where.spot == SpotUse::kNever && !offer.price && offer.spot_price) spot_alone_.push_back(position);
    if (job_.where.spot != SpotUse::kNever && offer.spot_price) {
      if (!interruption_rate(job_, offer)) ++spot_without_rate_;
      else if (!job_.spot.max_price || offer.spot_price->p50 <= *job_.spot.max_price)
        choices_.push_back({&offer, position, true});
    }
  }

  void estimate() {
    std::vector<const std::vector<std::size_t>*> kinds;
    for (const auto& kind : kinds_) kinds.push_back(&kind.second);
    std::ranges::sort(kinds, {}, [](const auto* options) { return options->front(); });
    auto task = [&](int index) { estimate_kind(*kinds[static_cast<std::size_t>(index)]); };
    parallel_for(static_cast<int>(kinds.size()), options_.threads, task);
  }

  /// Options that differ in host memory and disk at most: what these made no difference to is taken over.
  void estimate_kind(const std::vector<std::size_t>& options) {
    std::vector<std::size_t> estimated;
    for (const std::size_t position : options) {
      MachineOption& option = machine_options_[position];
      const NodeShape& node = option.machines.node;
      const auto same = std::ranges::find_if(estimated, [&](std::size_t other) {
        return machine_options_[other].tally.same_for.holds(node, machine_options_[other].machines.node);
      });
      if (same == estimated.end()) {
        estimate_option(option);
        estimated.push_back(position);
        continue;
      }
      const MachineOption& other = machine_options_[*same];
      option.alike = *same;
      option.phases = other.phases;
      for (auto& phase : option.phases)
        if (phase) move_to(node, *phase);
      option.tally = other.tally.on(node.ram, other.machines.node.ram);
      option.complete = other.complete;
    }
  }

  void estimate_option(MachineOption& option) const {
    const bool by_phase = chooses_by_phase();
    option.phases.resize(workloads_.size());
    option.complete = true;
    for (const int phase : order_) {
      const auto i = static_cast<std::size_t>(phase);
      option.phases[i] = best_estimate(workloads_[i], catalogue_, option.machines, options_.ignore_given, option.tally);
      if (option.phases[i]) continue;
      option.complete = false;
      // A phase that can not run here settles it, unless another offer may take it.
      if (!by_phase) break;
    }
  }

  /// The same estimate on a machine that it holds for as well.
  static void move_to(const NodeShape& node, Shared<PhaseEstimate>& estimate) {
    if (estimate->node && *estimate->node != node) estimate.change().node = node;
  }

  void make_plans(SearchResult& result) {
    for (const MachineOption& option : machine_options_) result.tally.add(option.tally);
    const Biller biller(job_, errors(), options_.seed);
    if (job_.schedule != Schedule::kEachPhase) {
      std::vector<std::optional<Plan>> plans = plans_on_all(biller);
      for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (!plans[i]) continue;
        Plan& plan = *plans[i];
        // A job that holds machines for all phases is one job of the pool.
        const auto& longest = choices_[i].offer->max_time;
        const bool held = plan.leases.size() == 1 && plan.leases.front().phases.size() > 1;
        if (job_.schedule == Schedule::kKeep && longest && held && plan.hours.p90 > *longest)
          result.tally.too_long({order_.front(), plan.hours.p90, *longest}, 1);
        else result.plans.push_back(std::move(plan));
      }
    }
    if (!choices_.empty() && chooses_by_phase())
      for (Plan& plan : mixed_plans(job_, workloads_, machine_options_, choices_, biller,
                                    catalogue_.practice_constants.same_share, result.plans, note_))
        result.plans.push_back(std::move(plan));
  }

  /// Whether phases may be put on machines of different offers.
  bool chooses_by_phase() const {
    return job_.schedule == Schedule::kEachPhase ||
           (job_.schedule == Schedule::kBest && phases_on_machines(workloads_) > 1);
  }

  /// The plans on all choices, in their order; none where not every phase runs. Each thread bills a part of them: what
  /// a biller draws follows from the phases and the seed alone, so that the plans are the same however many there are.
  std::vector<std::optional<Plan>> plans_on_all(const Biller& biller) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < choices_.size(); ++i)
      if (machine_options_[choices_[i].option].complete) order.push_back(i);
    // Choices whose estimates are the same come together: what they share is held once at a time.
    const auto alike = [&](std::size_t i) { return machine_options_[choices_[i].option].alike; };
    std::ranges::stable_sort(order, {}, alike);
    std::vector<std::size_t> begins = parts_of(order.size());
    // What is alike is not parted.
    for (std::size_t& begin : begins)
      while (begin > 0 && begin < order.size() && alike(order[begin]) == alike(order[begin - 1])) ++begin;
    std::vector<std::optional<Plan>> plans(choices_.size());
    auto task = [&](int part) {
      const auto at = static_cast<std::size_t>(part);
      const std::optional<Biller> own =
          part > 0 ? std::optional<Biller>(std::in_place, job_, errors(), options_.seed) : std::nullopt;
      std::vector<Laid> shared;
      for (std::size_t n = begins[at]; n < begins[at + 1]; ++n) {
        if (n == begins[at] || alike(order[n]) != alike(order[n - 1])) shared.clear();
        plans[order[n]] = plan_on(choices_[order[n]], own ? *own : biller, shared);
      }
    };
    parallel_for(static_cast<int>(begins.size()) - 1, options_.threads, task);
    return plans;
  }

  /// Where each part of so many choices begins, and the end: as many parts as threads, none so small that a biller of
  /// its own is not worth it.
  std::vector<std::size_t> parts_of(std::size_t choices) const {
    constexpr std::size_t kLeast = 64;
    const std::size_t parts =
        std::clamp<std::size_t>(choices / kLeast, 1, static_cast<std::size_t>(std::max(1, options_.threads)));
    std::vector<std::size_t> begins;
    for (std::size_t part = 0; part <= parts; ++part) begins.push_back(choices * part / parts);
    return begins;
  }

  /// All phases on one offer, its machines kept or let go while nothing runs.
  Plan plan_on(const Choice& choice, const Biller& biller, std::vector<Laid>& shared) const {
    const MachineOption& option = machine_options_[choice.option];
    const Billing& billing = choice.offer->billing;
    Laid own{billing.startup, billing.startup_billed, {}, {}, {}, {}};
    // Offers on the same estimates share everything but the price, unless their machines differ in the time that they
    // take to start, or are taken away.
    const auto like_own = [&](const Laid& other) {
      return other.startup == own.startup && (own.startup == Seconds{} || other.startup_billed == own.startup_billed);
    };
    auto known = shared.end();
    if (!choice.spot && !choice.offer->preemptible && !is_queued(*choice.offer)) {
      known = std::ranges::find_if(shared, like_own);
      if (known == shared.end()) known = shared.insert(shared.end(), own);
    }
    Laid& laid = known == shared.end() ? own : *known;
    if (!laid.kept) {
      std::vector<Shared<PhaseEstimate>> phases;
      for (const auto& phase : option.phases) phases.push_back(*phase);
      laid.kept = biller.schedule(all_on(option.machines, choice.offer, choice.spot, phases));
      Arrangement pieces = biller.let_go(*laid.kept);
      if (pieces.leases.size() > 1) laid.let_go = biller.schedule(std::move(pieces));
    }
    const auto price = [&](JobSchedule& job, BilledBefore& before) {
      for (LeaseRequest& lease : job.arrangement.leases) {
        lease.offer = choice.offer;
        lease.machines.node = option.machines.node;
      }
      for (Shared<PhaseEstimate>& phase : job.arrangement.phases) move_to(option.machines.node, phase);
      return biller.price(job, &before);
    };
    // Of a machine that there is one of nobody knows that it is still to be had later.
    const bool kept_by_all = is_single(*choice.offer) && job_.schedule != Schedule::kStopWhenIdle;
    if (!laid.let_go || kept_by_all || job_.schedule == Schedule::kKeep) return price(*laid.kept, laid.bills_kept);
    Plan pieces = price(*laid.let_go, laid.bills_let_go);
    if (job_.schedule == Schedule::kStopWhenIdle) return pieces;
    const Plan kept = price(*laid.kept, laid.bills_kept);
    return pieces.cost.p50 < kept.cost.p50 ? pieces : kept;
  }

  void describe_market(SearchResult& result) const {
    result.market.spot_without_rate = spot_without_rate_;
    result.market.preemptible = static_cast<int>(preemptible_.size());
    result.market.spot_refused = static_cast<int>(
        std::ranges::count_if(spot_alone_, [&](std::size_t option) { return machine_options_[option].complete; }));
    std::set<std::string_view> sources;
    for (const Offer& offer : market_) {
      if (offer.as_of > result.as_of) result.as_of = offer.as_of;
      if (!offer.source.empty()) sources.insert(offer.source);
    }
    result.sources.assign(sources.begin(), sources.end());
    if (result.as_of.empty()) result.as_of = job_.market.as_of;
  }

  const Job& job_;
  const Catalogue& catalogue_;
  const std::vector<Offer>& market_;
  const SearchOptions& options_;
  std::vector<PhaseWorkload> workloads_;
  std::optional<ErrorModel> taught_;  ///< by the job's own figures
  std::vector<MachineOption> machine_options_;
  std::vector<Choice> choices_;
  std::vector<int> order_;                                                   ///< of the phases: canonical_order()
  std::map<decltype(place_of(Machines{})), std::size_t> places_;             ///< machine_options by what they are
  std::map<decltype(kind_of(Machines{})), std::vector<std::size_t>> kinds_;  ///< the same but for host memory and disk
  std::string note_;
  int spot_without_rate_ = 0;
  std::set<const Offer*> preemptible_;   ///< pools left out: the job says that it takes no machine that is taken away
  std::vector<std::size_t> spot_alone_;  ///< options of offers with no other price, where the job takes no spot
};

}  // namespace

Result<SearchResult> search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market,
                            const SearchOptions& options) {
  return Search(job, catalogue, market, options).run();
}

}  // namespace gpuplan
