#include "plan/search.h"

#include <algorithm>

#include "base/parallel.h"
#include "plan/assumptions.h"
#include "plan/bill.h"
#include "plan/frontier.h"
#include "plan/interruptions.h"
#include "plan/machines.h"
#include "plan/phase_search.h"
#include "plan/recommendation.h"
#include "plan/schedule.h"

namespace gpuplan {

namespace {

/// Machines that several offers share: estimated once.
struct Setting {
  Machines machines;
  std::vector<std::optional<PhaseEstimate>> phases;
  Tally tally;
  bool complete = false;  ///< every phase runs
};

/// An offer in a number of machines, on demand or as spot.
struct Choice {
  const Offer* offer = nullptr;
  std::size_t setting = 0;
  bool spot = false;
};

bool same_place(const Machines& a, const Machines& b) {
  return a.nodes == b.nodes && a.gpus == b.gpus && a.exact == b.exact && a.node == b.node;
}

class Search {
 public:
  Search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market, const SearchOptions& options)
      : job_(job), catalogue_(catalogue), market_(market), options_(options) {}

  Result<SearchResult> run() {
    auto workloads = prepare(job_);
    if (!workloads) return std::unexpected<Error>(std::move(workloads.error()));
    workloads_ = std::move(*workloads);
    lay_out();
    estimate();
    SearchResult result;
    make_plans(result);
    mark_frontier(result.plans);
    result.values = value_ranges(result.plans);
    result.recommendations = recommend(job_, result.plans);
    describe_market(result);
    result.assumptions = assumptions(job_, result.plans);
    return result;
  }

 private:
  void lay_out() {
    for (const Offer& offer : market_)
      for (const Machines& machines : machines_on(job_, catalogue_, offer)) add(offer, machines);
  }

  void add(const Offer& offer, const Machines& machines) {
    const auto found =
        std::ranges::find_if(settings_, [&](const Setting& s) { return same_place(s.machines, machines); });
    const auto position = static_cast<std::size_t>(found - settings_.begin());
    if (found == settings_.end()) settings_.push_back({machines, {}, {}, false});
    if (job_.where.spot != SpotUse::kOnly && offer.price) choices_.push_back({&offer, position, false});
    if (job_.where.spot != SpotUse::kNever && offer.spot_price) {
      if (!interruption_rate(job_, offer)) ++spot_without_rate_;
      else if (!job_.spot.max_price || offer.spot_price->p50 <= *job_.spot.max_price)
        choices_.push_back({&offer, position, true});
    }
  }

  void estimate() {
    auto task = [&](int index) {
      Setting& setting = settings_[static_cast<std::size_t>(index)];
      setting.phases.resize(workloads_.size());
      setting.complete = true;
      for (std::size_t i = 0; i < workloads_.size(); ++i) {
        setting.phases[i] =
            best_estimate(workloads_[i], catalogue_, setting.machines, options_.ignore_given, setting.tally);
        if (setting.phases[i]) continue;
        setting.complete = false;
        // A phase that can not run here settles it, unless another offer may take it.
        if (job_.schedule != Schedule::kEachPhase) break;
      }
    };
    parallel_for(static_cast<int>(settings_.size()), options_.threads, task);
  }

  void make_plans(SearchResult& result) {
    for (const Setting& setting : settings_) result.tally.add(setting.tally);
    const Biller biller(job_, options_.seed);
    // Offers of one setting share everything but the price.
    std::vector<std::optional<JobHours>> hours(settings_.size());
    for (const Choice& choice : choices_) {
      const Setting& setting = settings_[choice.setting];
      if (!setting.complete) continue;
      auto& shared = hours[choice.setting];
      if (!shared) {
        std::vector<PhaseEstimate> phases;
        for (const auto& phase : setting.phases) phases.push_back(*phase);
        shared = biller.hours(phases, setting.machines);
      }
      result.plans.push_back(biller.plan(*shared, *choice.offer, choice.spot));
    }
    if (job_.schedule == Schedule::kEachPhase) result.plans = plans_by_phase(biller);
  }

  /// Every phase on the offer that serves it best: cheapest, best value and fastest.
  std::vector<Plan> plans_by_phase(const Biller& biller) const {
    std::vector<Plan> plans;
    for (const Goal goal : {Goal::kCheapest, Goal::kBestValue, Goal::kFastest}) {
      std::vector<PhaseEstimate> phases;
      std::vector<const Offer*> offers;
      for (std::size_t i = 0; i < workloads_.size(); ++i) {
        const Choice* best = nullptr;
        double least = 0;
        for (const Choice& choice : choices_) {
          const auto& estimate = settings_[choice.setting].phases[i];
          if (!estimate || choice.spot) continue;
          const double seconds = (estimate->work.p50 + estimate->extra.p50).value;
          const double paid = estimate->gpus == 0 ? 0 : biller.paid(*choice.offer, *estimate, seconds).value;
          const double value = goal == Goal::kCheapest  ? paid
                               : goal == Goal::kFastest ? seconds
                                                        : paid + job_.value_of_time.value * seconds;
          if (best == nullptr || value < least) {
            best = &choice;
            least = value;
          }
        }
        if (best == nullptr) return {};
        phases.push_back(*settings_[best->setting].phases[i]);
        offers.push_back(phases.back().gpus > 0 ? best->offer : nullptr);
      }
      Plan plan = biller.plan_each(phases, offers, "each phase " + std::string(name_of(goal)));
      if (std::ranges::none_of(plans, [&](const Plan& other) { return other.id == plan.id; }))
        plans.push_back(std::move(plan));
    }
    return plans;
  }

  void describe_market(SearchResult& result) const {
    result.market.spot_without_rate = spot_without_rate_;
    for (const Offer& offer : market_) {
      if (offer.as_of > result.as_of) result.as_of = offer.as_of;
      if (!offer.source.empty() && std::ranges::find(result.sources, offer.source) == result.sources.end())
        result.sources.push_back(offer.source);
    }
    if (result.as_of.empty()) result.as_of = job_.market.as_of;
    std::ranges::sort(result.sources);
  }

  const Job& job_;
  const Catalogue& catalogue_;
  const std::vector<Offer>& market_;
  const SearchOptions& options_;
  std::vector<PhaseWorkload> workloads_;
  std::vector<Setting> settings_;
  std::vector<Choice> choices_;
  int spot_without_rate_ = 0;
};

}  // namespace

Result<SearchResult> search(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market,
                            const SearchOptions& options) {
  return Search(job, catalogue, market, options).run();
}

}  // namespace gpuplan
