#include "plan/ranking/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "base/text.h"
#include "model/error/error.h"
#include "plan/answer/price_doubt.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {

namespace {

/// How much of a plan's error hangs on what, by its name; in units of its time, squares add up to its variance.
using Loads = std::map<std::string, double>;

double spread_of(const Interval<Seconds>& time) { return time.exact() ? 0 : (time.p90 - time.p10).value / (2 * kZ90); }

double spread_of(const Loads& loads) {
  double variance = 0;
  for (const auto& [name, load] : loads) variance += load * load;
  return std::sqrt(variance);
}

/// Whose the factor is, in words that stand for it alone.
std::vector<std::string> name_of_load(const ErrorLoad& load, ErrorFigure figure, const std::vector<std::string>& one) {
  std::vector<std::string> name{std::string(name_of(figure))};
  if (load.learned >= 0) {
    name.insert(name.end(), {"learned", std::to_string(load.learned)});
  } else if (load.part == ErrorPart::kConfiguration) {
    name.insert(name.end(), one.begin(), one.end());
  } else {
    name.insert(name.end(), {std::string(name_of(load.part)), std::string(load.label), std::string(load.more),
                             std::to_string(load.number)});
  }
  return name;
}

Loads loads_of(const Job& job, const Plan& plan, const ErrorModel& errors, double beside_shared) {
  Loads loads;
  const auto add = [&](const std::vector<std::string>& name, double load) { loads[join(name, "/")] += load; };
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& phase = *part.estimate;
    const std::string gpu = phase.node && phase.node->gpu != nullptr ? phase.node->gpu->name : "";
    const std::string provider = part.offer != nullptr ? part.offer->provider : "";
    const std::string software = phase.framework != nullptr ? phase.framework->name : "";
    const std::string& name = job.phases[static_cast<std::size_t>(phase.phase)].name;
    const double work = spread_of(phase.work);
    if (work > 0 && phase.work_is_model) {
      // What is left to one way of running the phase, on one provider's machines.
      const std::vector<std::string> one{
          "own", name, software, gpu, std::to_string(phase.gpus), provider, std::to_string(phase.nodes)};
      for (const ErrorLoad& load : unit_error_loads(errors, phase.error_figure, phase.labels))
        add(name_of_load(load, phase.error_figure, one), load.load * work);
    } else if (work > 0) {
      // The user's own figure, on this GPU.
      add({"given", name, gpu}, work);
    }
    const double beside = spread_of(phase.extra);
    add({"beside"}, std::sqrt(beside_shared) * beside);
    add({"beside", provider}, std::sqrt(1 - beside_shared) * beside);
  }
  return loads;
}

/// One score a sample for the plan's whole time.
Samples score_of(const Loads& loads, const std::map<std::string, Samples>& drawn) {
  Samples sum{};
  double variance = 0;
  for (const auto& [label, load] : loads) {
    if (load == 0) continue;
    variance += load * load;
    const Samples& draws = drawn.at(label);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += load * draws[i];
  }
  if (variance > 0)
    for (double& value : sum) value /= std::sqrt(variance);
  return sum;
}

/// What the cost of a plan hangs on beside its time: prices, in units of its logarithm. No more than its whole range,
/// and nothing of a cost that may be none, which credits pay.
Loads price_loads_of(const Plan& plan) {
  Loads loads;
  if (plan.cost.p10 <= Dollars{} || plan.cost.p90 <= plan.cost.p10) return loads;
  const double bill = 1 + plan.credits / plan.cost.p50;  // credits pay what they pay, and the rest takes all that moves
  for (const PriceLoad& load : price_loads(plan)) loads[load.name] += load.load * bill;
  const double most = math::log(plan.cost.p90 / plan.cost.p10) / (2 * kZ90), spread = spread_of(loads);
  if (spread > most)
    for (auto& [name, load] : loads) load *= most / spread;
  return loads;
}

/// What prices multiply the cost by, in each sample.
Samples factors_of(const Loads& loads, const std::map<std::string, Samples>& drawn) {
  Samples factors{};
  for (const auto& [label, load] : loads) {
    const Samples& draws = drawn.at(label);
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] += load * draws[i];
  }
  for (double& factor : factors) factor = factor == 0 ? 1 : math::exp(factor);
  return factors;
}

/// A quantity at a score: what is told of it are p10, p50 and p90.
template <class T>
class Drawn {
 public:
  /// `apart`: of the spread of the logarithm what is drawn apart from the score.
  explicit Drawn(const Outcome<T>& outcome, double apart = 0)
      : middle_(outcome.p50),
        low_(side(outcome.p50, outcome.p10, apart)),
        high_(side(outcome.p50, outcome.p90, apart)) {}
  double at(double score) const {
    const Side& side = score < 0 ? low_ : high_;
    if (side.lognormal) return middle_.value * math::exp(side.slope * std::abs(score));
    return middle_.value + side.slope * (std::abs(score) / kZ90);
  }

 private:
  struct Side {
    bool lognormal = false;
    double slope = 0;  ///< of the logarithm to a score, else the whole way to the end
  };
  static Side side(T middle, T end, double apart) {
    if (middle > T{} && end > T{}) {
      const double slope = math::log(end / middle) / kZ90;
      if (apart <= 0) return {true, slope};
      const double left = std::sqrt(std::max(0.0, slope * slope - apart * apart));
      return {true, slope < 0 ? -left : left};
    }
    return {false, (end - middle).value};
  }

  T middle_;
  Side low_, high_;
};

/// The queues that a plan stands in: plans in the same ones wait equally long, whatever their machines.
std::string queues_of(const Plan& plan) {
  if (plan.wait.p90 <= plan.wait.p10) return "";
  std::vector<std::string> names;
  for (const Lease& lease : plan.leases)
    if (lease.offer->wait) names.push_back(lease.offer->provider + "/" + lease.offer->label);
  return join(names, "+");
}

/// Hours or dollars alone are compared more narrowly than their sum.
double goal_share(const Job& job) { return job.goal == Goal::kBestValue ? 1 : 0.2; }

}  // namespace

Comparison::Comparison(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions,
                       const ErrorModel& errors, double beside_shared, std::uint64_t seed, double within) {
  if (job.goal == Goal::kFewestGpus) return;
  const auto plan_of = [&](int position) -> const Plan& { return plans[static_cast<std::size_t>(position)]; };
  std::vector<std::pair<double, int>> order;
  order.reserve(positions.size());
  for (const int position : positions) order.emplace_back(goal_key(job, plan_of(position)).first, position);
  std::ranges::sort(order);
  std::vector<int> chosen;
  for (const auto& [median, position] : order) {
    if (chosen.size() == kMostCompared) break;
    const Plan& plan = plan_of(position);
    // Equal in what is asked: the same machines somewhere else.
    const bool alike = std::ranges::any_of(chosen, [&](int other) {
      const Plan& o = plan_of(other);
      return o.done() == plan.done() && o.cost.p50 == plan.cost.p50 && o.gpus == plan.gpus;
    });
    if (!alike) chosen.push_back(position);
  }
  if (chosen.empty()) return;
  const double most = goal_key(job, plan_of(chosen.front())).first * (1 + within);
  const bool all = within == kAll;
  const auto near = [&](int position) { return all || goal_key(job, plan_of(position)).first <= most; };
  compared_.reserve(chosen.size());
  // One alone is the best, whatever is drawn.
  if (!all && (chosen.size() == 1 || !near(chosen[1]))) {
    for (const int position : chosen) compared_.push_back({position, goal_key(job, plan_of(position)).first});
    return;
  }

  std::vector<Loads> loads, prices;
  loads.reserve(chosen.size());
  prices.reserve(chosen.size());
  for (const int position : chosen) {
    loads.push_back(loads_of(job, plan_of(position), errors, beside_shared));
    prices.push_back(price_loads_of(plan_of(position)));
  }
  const Scores scores(seed);
  std::map<std::string, Samples> drawn, drawn_prices, drawn_queues;
  for (const auto& [kind, named] : {std::pair(&loads, &drawn), std::pair(&prices, &drawn_prices)})
    for (const Loads& one : *kind)
      for (const auto& [label, load] : one) named->try_emplace(label);
  for (const int position : chosen)
    if (std::string queues = queues_of(plan_of(position)); !queues.empty()) drawn_queues.try_emplace(std::move(queues));
  // Numbered by their names, so that the order of phases and offers changes nothing.
  int number = 0;
  for (auto* named : {&drawn, &drawn_prices, &drawn_queues})
    for (auto& [label, samples] : *named) samples = scores.of(number++);

  bases_.reserve(chosen.size());
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const Plan& plan = plan_of(chosen[c]);
    if (!near(chosen[c])) {
      compared_.push_back({chosen[c], goal_key(job, plan).first});
      continue;
    }
    Basis& basis = bases_.emplace_back(chosen[c], plan.cost.p50);
    const Samples score = score_of(loads[c], drawn);
    const Drawn hours(plan.hours);
    const Drawn cost(plan.cost, spread_of(prices[c]));
    const Samples factors = factors_of(prices[c], drawn_prices);
    const std::string queues = queues_of(plan);
    const Drawn wait(Outcome<Seconds>{plan.wait.p10, plan.wait.p50, plan.wait.p90, plan.wait.p50});
    for (std::size_t i = 0; i < score.size(); ++i) {
      const double waited = queues.empty() ? plan.wait.p50.value : wait.at(drawn_queues.at(queues)[i]);
      basis.seconds[i] = hours.at(score[i]) + waited;
      basis.dollars[i] = cost.at(score[i]) * factors[i];
    }
    compared_.push_back(one_of(job, plan, basis));
  }
  if (!all) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSamples); ++i) {
    One& best = *std::ranges::min_element(compared_, {}, [&](const One& one) { return one.samples[i]; });
    best.chance += 1.0 / kSamples;
  }
}

Comparison::One Comparison::one_of(const Job& job, const Plan& plan, const Basis& basis) {
  One one{basis.plan, goal_key(job, plan).first, 0, {}};
  if (job.goal == Goal::kFastest) {
    one.samples = basis.seconds;
    return one;
  }
  const double value = job.goal == Goal::kBestValue ? job.value_of_time.value : 0;
  const bool free = basis.cost <= Dollars{} || plan.credits > Dollars{};  // what credits pay does not grow
  const double dearer = free ? 1 : plan.cost.p50 / basis.cost;
  const double beside = free ? (plan.cost.p50 - basis.cost).value : 0;
  for (std::size_t i = 0; i < one.samples.size(); ++i)
    one.samples[i] = basis.dollars[i] * dearer + beside + value * basis.seconds[i];
  return one;
}

void Comparison::reprice(const Job& job, const std::vector<Plan>& plans, const std::vector<int>& positions) {
  compared_.clear();
  for (const Basis& basis : bases_)
    if (std::ranges::find(positions, basis.plan) != positions.end())
      compared_.push_back(one_of(job, plans[static_cast<std::size_t>(basis.plan)], basis));
  sort_stably(compared_, {}, [](const One& one) { return std::pair(one.median, one.plan); });
}

const Comparison::One* Comparison::find(int plan) const {
  const auto one = std::ranges::find(compared_, plan, &One::plan);
  return one != compared_.end() ? &*one : nullptr;
}

double Comparison::chance_better(const One& one, const One& other) {
  double better = 0;
  for (std::size_t i = 0; i < one.samples.size(); ++i)
    better += one.samples[i] < other.samples[i] ? 1 : one.samples[i] == other.samples[i] ? 0.5 : 0;
  return better / kSamples;
}

double Comparison::regret(const One& one) const {
  std::vector<double> short_by(one.samples.begin(), one.samples.end());
  for (std::size_t i = 0; i < short_by.size(); ++i) {
    double least = one.samples[i];
    for (const One& other : compared_) least = std::min(least, other.samples[i]);
    short_by[i] -= least;
  }
  const auto place = short_by.begin() + (static_cast<std::ptrdiff_t>(short_by.size()) * 8) / 10;
  std::ranges::nth_element(short_by, place);
  return *place;
}

double tie_share(const Job& job, const PracticeConstants& practice) { return practice.tie_share * goal_share(job); }

int providers_of(const ProvidersByGpu& common, const Plan& plan) {
  return plan.node.gpu != nullptr ? providers_with(common, plan.node.gpu->name) : 0;
}

int settled(const Job& job, const std::vector<Plan>& plans, const Comparison& comparison,
            const PracticeConstants& practice, const ProvidersByGpu& common) {
  const std::vector<Comparison::One>& all = comparison.compared();
  const double share = tie_share(job, practice), same_share = practice.same_share * goal_share(job);
  const auto plan_of = [&](const Comparison::One& one) -> const Plan& {
    return plans[static_cast<std::size_t>(one.plan)];
  };
  const auto asks = [&](const Comparison::One& one) {
    const Plan& plan = plan_of(one);
    const double capability = plan.node.gpu != nullptr ? plan.node.gpu->compute_capability : 0;
    // Who asks for hours alone pays for whatever saves one, but not for what saves none.
    const bool hurries = job.goal == Goal::kFastest;
    return std::tuple(offers_in(plan), hurries && is_rare(plan), hurries && is_other_stack(plan),
                      hurries ? plan.cost.p50 : Dollars{}, std::max(plan.nodes, plan.at_once), plan.gpus_at_once(),
                      is_rare(plan), is_other_stack(plan), -providers_of(common, plan), -capability, one.median);
  };
  std::vector<const Comparison::One*> tied;
  for (const Comparison::One& one : all) {
    if (one.median > all.front().median * (1 + share)) break;
    const bool same = one.median <= all.front().median * (1 + same_share) &&
                      offers_in(plan_of(one)) < offers_in(plan_of(all.front()));
    if (!same && Comparison::chance_better(one, all.front()) < practice.tie_chance) continue;
    // A commoner GPU is worth some dollars and hours, not any number of them, a newer one hardly any; fewer of them may
    // be, and the stack that recipes are made for any hours.
    constexpr double kCommonerCosts = 1.4, kCommonerTakes = 1.4, kNewerCosts = 1.05;
    const Plan& front = plan_of(all.front());
    const Plan& plan = plan_of(one);
    // Nobody trains less precisely for less trouble.
    if (is_lighter(plan) && !is_lighter(front)) continue;
    // Fewer GPUs are no relief where each needs a stack of its own.
    const bool fewer = is_other_stack(plan) <= is_other_stack(front) &&
                       std::pair(std::max(plan.nodes, plan.at_once), plan.gpus_at_once()) <
                           std::pair(std::max(front.nodes, front.at_once), front.gpus_at_once());
    const bool usual_stack = is_other_stack(front) && !is_other_stack(plan);
    const bool commoner = providers_of(common, plan) > providers_of(common, front);
    const bool easier = commoner || usual_stack || (is_rare(front) && !is_rare(plan));
    const bool dear = plan.cost.p50 > front.cost.p50 * (easier ? kCommonerCosts : kNewerCosts);
    const bool slow = !usual_stack && plan.hours.p50 > front.hours.p50 * kCommonerTakes;
    if (fewer || (!dear && !slow)) tied.push_back(&one);
  }
  // What is no dearer, no slower, one of both clearly less, and as easy to get and to run is better, however little the
  // other asks for. (A hundredth is no difference; what is clearly less in one is worth more than that in the other, so
  // no two beat each other.)
  const auto beaten = [&](const Comparison::One* one) {
    constexpr double kClearly = 0.9, kSame = 1.01;
    const Plan& plan = plan_of(*one);
    return std::ranges::any_of(all, [&](const Comparison::One& by) {
      const Plan& other = plan_of(by);
      const bool faster = other.done() <= plan.done() * kClearly;
      const bool cheaper = other.cost.p50 < plan.cost.p50 && other.cost.p50 <= plan.cost.p50 * kClearly;
      return other.cost.p50 <= plan.cost.p50 * kSame && other.done() <= plan.done() * kSame && (faster || cheaper) &&
             offers_in(other) <= offers_in(plan) && is_rare(other) <= is_rare(plan) &&
             is_other_stack(other) <= is_other_stack(plan);
    });
  };
  const Comparison::One* best = nullptr;
  for (const Comparison::One* one : tied)
    if (!beaten(one) && (best == nullptr || asks(*one) < asks(*best))) best = one;
  if (best == nullptr) best = &all.front();
  // A plan that is surely a little worse than the best is tied with nothing, and what may be better or far worse is.
  // That is no reason for the latter where the former is the better one of the two, and asks for no more.
  const Comparison::One* taken = best;
  for (const Comparison::One& one : all) {
    if (one.median >= best->median) break;
    const bool lighter = is_lighter(plan_of(one)) && !is_lighter(plan_of(*best));
    if (!lighter && !beaten(&one) && asks(one) < asks(*taken)) taken = &one;
  }
  return taken->plan;
}

}  // namespace gpuplan
