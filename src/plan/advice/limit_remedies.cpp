#include "plan/advice/limit_remedies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "plan/advice/less_work.h"
#include "plan/answer/market.h"
#include "plan/notes/own_terms.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

/// 100 Gbit/s: below it training on several machines mostly waits.
constexpr BytesPerSecond kFastNetwork{12.5e9};

Seconds rounded_up(Seconds time) {
  for (const Seconds unit : {units::hour, units::minute})
    if (time >= unit) return two_digits(time / unit, true) * unit;
  return two_digits(time.value, true) * units::second;
}

/// In three digits: a budget is asked for no larger than it must be.
Dollars rounded_up(Dollars money) {
  double unit = 0.01;
  while (money.value / unit >= 1000) unit *= 10;
  return Dollars{std::ceil(money.value / unit - 1e-9) * unit};
}

LimitRemedy remedy_of(std::string change, const SearchResult& result, const Plan& pick) {
  return {std::move(change),
          pick.label,
          pick.nodes,
          pick.spot,
          pick.hours,
          pick.cost,
          !result.recommendations.limits_missed,
          pick.meets_deadline,
          pick.meets_budget,
          pick.reaches_target,
          pick.shortfall()};
}

const Plan* pick_of(const SearchResult& result) {
  return result.recommendations.pick ? &result.plans[static_cast<std::size_t>(*result.recommendations.pick)] : nullptr;
}

/// The job on so many machines as one, and how the change is written. Its number of GPUs was meant for fewer.
std::string with_nodes(Job& job, int nodes) {
  const bool counts = !job.where.counts.empty();
  job.where.nodes = {nodes};
  job.where.counts.clear();
  return "where.nodes: [" + std::to_string(nodes) + "]" + (counts ? ", where.counts: all" : "");
}

int nodes_asked(const Job& job) { return job.where.nodes.empty() ? 1 : std::ranges::max(job.where.nodes); }

class Remedies {
 public:
  Remedies(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
           const std::vector<Offer>& market, const SearchResult& found, const SearchOptions& options)
      : job_(job),
        catalogue_(catalogue),
        known_(known),
        market_(market),
        found_(found),
        options_(options),
        runs_(found.plans) {
    promising();
  }

  std::vector<LimitRemedy> all() {
    machines();
    lifted();
    spot();
    software();
    formats();
    model_speeds();
    less_work();
    other_limits();
    sort_stably(remedies_, {}, [](const LimitRemedy& r) { return !r.keeps; });
    return std::move(remedies_);
  }

 private:
  /// A try on few offers costs less than a millisecond: those of the frontier, and the fastest and cheapest beside it.
  void promising() {
    constexpr std::size_t kBeside = 4;
    std::vector<const Plan*> plans;
    for (const Plan& plan : found_.plans)
      if (plan.offer != nullptr) plans.push_back(&plan);
    std::vector<const Offer*> chosen;
    const auto add = [&](const Plan* plan) {
      if (std::ranges::find(chosen, plan->offer) == chosen.end()) chosen.push_back(plan->offer);
    };
    for (const Plan* plan : plans)
      if (plan->on_frontier) add(plan);
    sort_stably(plans, {}, [](const Plan* plan) { return plan->hours.p90; });
    for (std::size_t i = 0; i < std::min(kBeside, plans.size()); ++i) add(plans[i]);
    // Several machines are of use where a fast network joins them.
    std::size_t networked = 0;
    for (const Plan* plan : plans) {
      if (networked == kBeside) break;
      if (node_shape(catalogue_, *plan->offer).network < kFastNetwork) continue;
      add(plan);
      ++networked;
    }
    sort_stably(plans, {}, [](const Plan* plan) { return plan->cost.p90; });
    for (std::size_t i = 0; i < std::min(kBeside, plans.size()); ++i) add(plans[i]);
    for (const Offer& offer : market_)
      if (std::ranges::find(chosen, &offer) != chosen.end()) few_.push_back(offer);
  }

  /// The pick of the changed job; false when nothing can run it.
  bool try_job(const Job& job, const std::vector<Offer>& market, const SearchOptions& options, std::string change,
               LimitRemedy& remedy) const {
    const auto result = search(job, catalogue_, market, options);
    if (!result) return false;
    const Plan* pick = pick_of(*result);
    if (pick == nullptr || !runs_(*pick)) return false;
    remedy = remedy_of(std::move(change), *result, *pick);
    return true;
  }

  void keep(const LimitRemedy& remedy) { remedies_.push_back(remedy); }

  /// The whole market of a changed job.
  std::vector<Offer> market_of(const Job& job) const {
    MarketFilter filter;
    return market_for(job, catalogue_, known_, filter, terms_by_region(job));
  }

  /// What was found on few offers, as it comes out on all: who makes the change gets that plan.
  bool try_on_all(const Job& job, LimitRemedy& remedy) const {
    LimitRemedy found;
    if (!try_job(job, market_of(job), options_, remedy.change, found)) return false;
    remedy = std::move(found);
    return true;
  }

  /// True when the changed job comes no nearer to the limits than the search before.
  bool no_better(const LimitRemedy& remedy) const {
    const Plan* pick = pick_of(found_);
    if (remedy.keeps || pick == nullptr) return false;
    if (target_missed()) return remedy.shortfall >= pick->shortfall();
    return remedy.hours.p90 >= pick->hours.p90 && remedy.cost.p90 >= pick->cost.p90;
  }

  void machines() {
    if (!deadline_missed() && !target_missed()) return;
    LimitRemedy last;
    Job of_last;
    bool tried = false;
    for (const int times : {2, 4, 8, 16}) {
      Job job = job_;
      std::string change = with_nodes(job, times * nodes_asked(job_));
      // Machines with other numbers of GPUs were left out of the market.
      const std::vector<Offer> others = job_.where.counts.empty() ? std::vector<Offer>() : market_of(job);
      LimitRemedy remedy;
      if (!try_job(job, others.empty() ? few_ : others, options_, std::move(change), remedy)) continue;
      // Twice the machines for a little less time help nobody who is late all the same.
      constexpr double kWorthIt = 0.75;
      const bool helps = target_missed() ? remedy.shortfall < last.shortfall
                                         : remedy.hours.p90 < last.hours.p90 * (remedy.keeps ? 1 : kWorthIt);
      if (tried && !helps) break;
      last = remedy;
      of_last = std::move(job);
      tried = true;
      if (remedy.keeps) break;
    }
    if (tried && try_on_all(of_last, last) && !no_better(last)) keep(last);
  }

  template <class Change>
  void lift(const std::string& text, Change change) {
    Job job = job_;
    change(job);
    LimitRemedy remedy;
    if (try_job(job, market_of(job), options_, text, remedy) && !no_better(remedy)) keep(remedy);
  }

  void lifted() {
    if (!job_.where.gpus.empty()) lift("where.gpus: all", [](Job& job) { job.where.gpus.clear(); });
    if (!job_.where.counts.empty()) lift("where.counts: all", [](Job& job) { job.where.counts.clear(); });
    if (!job_.where.providers.empty()) lift("where.providers: all", [](Job& job) { job.where.providers.clear(); });
    if (!job_.where.regions.empty()) lift("where.regions: all", [](Job& job) { job.where.regions.clear(); });
    if (job_.market.only && !known_.empty())
      lift("market.use: add (built-in offers too)", [](Job& job) { job.market.only = false; });
  }

  void spot() {
    if (job_.where.spot != SpotUse::kNever) return;
    lift("where.spot: allow", [](Job& job) { job.where.spot = SpotUse::kAllow; });
  }

  /// The framework or engine of a phase that leaves it open: what nobody takes unasked may keep the limits. Those that
  /// were taken somewhere are no change.
  void software() {
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      const auto* train = std::get_if<TrainPhase>(&job_.phases[i].work);
      const auto* generate = std::get_if<GeneratePhase>(&job_.phases[i].work);
      const bool open = (train != nullptr && train->framework.empty()) ||
                        (generate != nullptr && generate->engine.empty() && !generate->collect);
      if (!open) continue;
      const Plan* pick = pick_of(found_);
      std::optional<LimitRemedy> best;
      Job of_best;
      for (const Framework& framework : catalogue_.frameworks) {
        if (train != nullptr ? !framework.trains : !framework.generates) continue;
        // Formats cost quality.
        if (train != nullptr && train->method == Method::kFull && !framework.master_fp32) continue;
        const auto taken = [&](const PhasePlan& part) {
          return part.estimate->phase == static_cast<int>(i) && part.estimate->framework != nullptr &&
                 part.estimate->framework->name == framework.name;
        };
        if (pick != nullptr && std::ranges::any_of(pick->phases, taken)) continue;
        Job job = job_;
        std::string key = "framework";
        if (train != nullptr) std::get<TrainPhase>(job.phases[i].work).framework = framework.name;
        else std::get<GeneratePhase>(job.phases[i].work).engine = framework.name, key = "engine";
        LimitRemedy remedy;
        std::string change = "phases." + job.phases[i].name + "." + (train != nullptr ? "train" : "generate") + "." +
                             key + ": " + framework.name;
        if (!try_job(job, few_, options_, std::move(change), remedy) || !remedy.keeps) continue;
        if (best && remedy.cost.p50 >= best->cost.p50) continue;
        best = std::move(remedy);
        of_best = std::move(job);
      }
      if (best && try_on_all(of_best, *best) && best->keeps) keep(*best);
    }
  }

  /// Fewer bytes to read for each token.
  void formats() {
    if (!target_missed()) return;
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      const auto* generate = std::get_if<GeneratePhase>(&job_.phases[i].work);
      if (generate == nullptr || !generate->target.any()) continue;
      const double now =
          generate->weight_bits.value_or(bits_of(generate->weights.value_or(generate->models.front().shape.native)));
      for (const Format format : {Format::kFp8, Format::kInt4}) {
        if (bits_of(format) >= now) continue;
        lift("weights: " + std::string(name_of(format)) +
                 (job_.phases.size() > 1 ? " in " + job_.phases[i].name : std::string()),
             [&](Job& job) {
               auto& changed = std::get<GeneratePhase>(job.phases[i].work);
               changed.weights = format;
               changed.weight_bits.reset();
             });
      }
    }
  }

  void model_speeds() {
    if (options_.ignore_given) return;
    const bool far = std::ranges::any_of(found_.plans, [](const Plan& plan) {
      return std::ranges::any_of(plan.phases,
                                 [](const PhasePlan& part) { return part.estimate->model_interval.has_value(); });
    });
    if (!far) return;
    SearchOptions options = options_;
    options.ignore_given = true;
    LimitRemedy remedy;
    if (try_job(job_, market_, options, "--ignore given (predicted speeds)", remedy) && !no_better(remedy))
      keep(remedy);
  }

  /// No plan reaches the targets of the generation phases.
  bool target_missed() const {
    return std::ranges::none_of(found_.plans, [&](const Plan& plan) { return runs_(plan) && plan.reaches_target; });
  }

  bool deadline_missed() const {
    return job_.limits.deadline &&
           std::ranges::none_of(found_.plans, [](const Plan& plan) { return plan.meets_deadline; });
  }

  /// The share of its largest phase that a plan can do within the limits, by its P90.
  double share_within(const Plan& plan, std::size_t phase) const {
    double share = 1;
    const PhasePlan& part = plan.phases[phase];
    if (job_.limits.deadline && part.hours.p90 > Seconds{})
      share = std::min(share, 1 - (plan.hours.p90 - *job_.limits.deadline) / part.hours.p90);
    if (job_.limits.budget && part.cost.p90 > Dollars{})
      share = std::min(share, 1 - (plan.cost.p90 + job_.contingency - *job_.limits.budget) / part.cost.p90);
    return share;
  }

  /// The share of all its work that a plan can do within the limits.
  double share_of_all(const Plan& plan) const {
    double share = 1;
    if (job_.limits.deadline && plan.hours.p90 > Seconds{})
      share = std::min(share, *job_.limits.deadline / plan.hours.p90);
    if (job_.limits.budget && plan.cost.p90 > Dollars{})
      share = std::min(share, (*job_.limits.budget - job_.contingency) / plan.cost.p90);
    return share;
  }

  /// Less of the longest phase; of all phases where that is not enough.
  void less_work() {
    if (target_missed()) return;
    double one = 0, all = 0;
    std::size_t which = 0;
    for (const Plan& plan : found_.plans) {
      if (plan.phases.empty() || !runs_(plan)) continue;
      const auto largest = std::ranges::max_element(plan.phases, {}, [](const PhasePlan& p) { return p.hours.p50; });
      const auto position = static_cast<std::size_t>(largest - plan.phases.begin());
      if (const double s = share_within(plan, position); s > one) {
        one = s;
        which = static_cast<std::size_t>(largest->estimate->phase);
      }
      all = std::max(all, share_of_all(plan));
    }
    constexpr double kLeastShare = 0.01;
    const bool several = one <= kLeastShare && job_.phases.size() > 1;
    const double most = several ? all : one;
    for (const double caution : {1.0, 0.93, 0.86, 0.8}) {
      const double share = most * caution;
      if (share <= kLeastShare || share >= 1) return;
      Job job = job_;
      std::vector<std::string> changes;
      double told = 0;  // what is left of the work of the phase that keeps most
      for (std::size_t i = 0; i < job.phases.size(); ++i) {
        if (!several && i != which) continue;
        Shrunk change = shrink(job.phases[i], share);
        if (change.setting.empty()) continue;
        changes.push_back(std::move(change.setting));
        told = std::max(told, change.share);
      }
      if (changes.empty()) return;
      LimitRemedy remedy;
      const std::string change = join(changes, ", ") + " (" + significant_text(100 * told, 2) + "% of the work)";
      if (!try_job(job, few_, options_, change, remedy)) return;
      if (remedy.keeps && try_on_all(job, remedy) && remedy.keeps) return keep(remedy);
    }
  }

  /// The least deadline and budget that a plan of the search keeps.
  void other_limits() {
    const Limits& limits = job_.limits;
    const auto least = [&](auto counts, auto key) {
      const Plan* best = nullptr;
      for (const Plan& plan : found_.plans)
        if (runs_(plan) && counts(plan) && (best == nullptr || key(plan) < key(*best))) best = &plan;
      return best;
    };
    const auto late = [](const Plan& plan) { return plan.hours.p90; };
    const auto dear = [](const Plan& plan) { return plan.cost.p90; };
    const auto try_limits = [&](const Plan* plan, bool deadline, bool budget) {
      if (plan == nullptr) return;
      // Its machines, and what is looked at beside them.
      std::vector<Offer> market = few_;
      for (const PhasePlan& part : plan->phases)
        if (part.offer != nullptr && std::ranges::find(market, *part.offer) == market.end())
          market.push_back(*part.offer);
      // P90 is right for the usual confidence of 90 %; more is needed for more.
      for (const double room : {1.0, 1.01, 1.05, 1.2, 1.5}) {
        Job job = job_;
        std::string change;
        if (deadline) {
          job.limits.deadline = rounded_up(plan->hours.p90 * room);
          change = "limits.deadline: " + to_text(*job.limits.deadline);
        }
        if (budget) {
          job.limits.budget = rounded_up((plan->cost.p90 + job_.contingency) * room);
          change += (change.empty() ? "" : ", ") + std::string("limits.budget: ") + to_text(*job.limits.budget);
        }
        LimitRemedy remedy;
        if (!try_job(job, market, options_, std::move(change), remedy)) return;
        if (remedy.keeps && try_on_all(job, remedy) && remedy.keeps) return keep(remedy);
      }
    };
    const bool both = limits.deadline && limits.budget;
    if (limits.deadline) {
      const Plan* plan = least([&](const Plan& p) { return !limits.budget || p.meets_budget; }, late);
      try_limits(plan, true, false);
    }
    if (limits.budget) {
      const Plan* plan = least([&](const Plan& p) { return !limits.deadline || p.meets_deadline; }, dear);
      try_limits(plan, false, true);
    }
    const bool found =
        std::ranges::any_of(remedies_, [](const LimitRemedy& r) { return r.change.starts_with("limits."); });
    if (both && !found) try_limits(pick_of(found_), true, true);
  }

  const Job& job_;
  const Catalogue& catalogue_;
  const std::vector<Offer>& known_;
  const std::vector<Offer>& market_;
  const SearchResult& found_;
  const SearchOptions& options_;
  Contends runs_;
  std::vector<Offer> few_;
  std::vector<LimitRemedy> remedies_;
};

/// The pick of the changed job, where it fits.
std::optional<LimitRemedy> fitting(const Job& changed, std::string change, const Catalogue& catalogue,
                                   const std::vector<Offer>& known, const SearchOptions& options) {
  MarketFilter filter;
  const auto result =
      search(changed, catalogue, market_for(changed, catalogue, known, filter, terms_by_region(changed)), options);
  const Plan* pick = result ? pick_of(*result) : nullptr;
  if (pick == nullptr || pick->fit != Fit::kFits) return std::nullopt;
  return remedy_of(std::move(change), *result, *pick);
}

/// The least number of machines on which what does not fit on one does: twice as many as the job allows, and so on.
std::optional<LimitRemedy> more_machines(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                         const SearchOptions& options) {
  for (const int times : {2, 4, 8, 16}) {
    Job larger = job;
    std::string change = with_nodes(larger, times * nodes_asked(job));
    if (auto remedy = fitting(larger, std::move(change), catalogue, known, options)) return remedy;
  }
  return std::nullopt;
}

/// The same GPU in machines with any number of them, where the job asks for so many in each.
std::optional<LimitRemedy> larger_machines(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                           const SearchOptions& options) {
  if (job.where.gpus.size() != 1 || job.where.gpus.front().count == 0) return std::nullopt;
  Job larger = job;
  larger.where.gpus.front().count = 0;
  std::string change = "where.gpus: [" + larger.where.gpus.front().gpu + "]";
  if (!larger.where.counts.empty()) change += ", where.counts: all";
  larger.where.counts.clear();
  return fitting(larger, std::move(change), catalogue, known, options);
}

/// What runs on none of the machines that `where` allows: the best plan on any GPU, in any number.
std::optional<LimitRemedy> other_machines(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                          const SearchOptions& options) {
  Job open = job;
  std::string change;
  if (!open.where.gpus.empty()) change = "where.gpus: all";
  if (!open.where.counts.empty()) change += std::string(change.empty() ? "" : ", ") + "where.counts: all";
  if (change.empty()) return std::nullopt;
  open.where.gpus.clear();
  open.where.counts.clear();
  return fitting(open, std::move(change), catalogue, known, options);
}

}  // namespace

std::vector<LimitRemedy> limit_remedies(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& known,
                                        const std::vector<Offer>& market, const SearchResult& found,
                                        const SearchOptions& options) {
  if (found.plans.empty()) {
    const bool memory = found.tally.rejected[static_cast<std::size_t>(Misfit::kMemory)] > 0;
    if (!memory || market.empty()) return {};
    // Nobody joins machines where one holds as many.
    auto machines = larger_machines(job, catalogue, known, options);
    if (!machines) machines = more_machines(job, catalogue, known, options);
    std::vector<LimitRemedy> found_elsewhere;
    if (machines) found_elsewhere.push_back(*std::move(machines));
    if (auto other = other_machines(job, catalogue, known, options)) found_elsewhere.push_back(*std::move(other));
    return found_elsewhere;
  }
  if (!found.recommendations.limits_missed) return {};
  return Remedies(job, catalogue, known, market, found, options).all();
}

}  // namespace gpuplan
