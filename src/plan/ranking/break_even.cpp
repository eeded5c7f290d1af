#include "plan/ranking/break_even.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "plan/billing/bill.h"
#include "plan/billing/own_terms.h"
#include "plan/ranking/comparison.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

constexpr double kMostTimes = 64;
constexpr double kNear = 1.0001;  // of two factors: how exactly a price is told

/// The plans that may be the pick at some price of its GPU at its provider, and which of them is.
class Rising {
 public:
  Rising(const Job& job, const SearchResult& found, const Compared& compared, const Plan& pick)
      : job_(job), own_(job), compared_(compared), pick_(pick) {
    // Dearer machines are none that the job would take.
    const auto& listed = pick_.spot ? pick_.offer->spot_price : pick_.offer->price;
    for (const auto& most : {job.where.max_price, pick_.spot ? job.spot.max_price : std::nullopt})
      if (most) limit_ = std::min(limit_, *most / listed->p50);
    share_ = 1 + tie_share(job, compared.practice);
    gather(found);
    std::vector<int> all;
    for (std::size_t i = 0; i < plans_.size(); ++i) all.push_back(static_cast<int>(i));
    if (any_other()) comparison_.emplace(job_, plans_, all, compared_.errors, compared_.beside_shared, compared_.seed);
  }

  bool any_other() const {
    return std::ranges::any_of(raised_, [](const Raised& one) { return one.share <= 0; });
  }

  /// The plan that is the pick then, by its place here; nullopt: none keeps the limits.
  std::optional<std::size_t> pick_at(double factor) {
    std::vector<int> left;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      plans_[i].cost.p50 = cost_at(raised_[i], factor);
      if (factor <= raised_[i].most) left.push_back(static_cast<int>(i));
    }
    if (left.empty()) return std::nullopt;
    comparison_->reprice(job_, plans_, left);
    if (!comparison_->compared().empty())
      return static_cast<std::size_t>(settled(job_, plans_, *comparison_, compared_.practice, compared_.common));
    const auto key = [&](int i) { return goal_key(job_, plans_[static_cast<std::size_t>(i)]); };
    return static_cast<std::size_t>(*std::ranges::min_element(left, {}, key));
  }

  bool rises(std::size_t plan) const { return raised_[plan].share > 0; }
  const Plan* found_as(std::size_t plan) const { return raised_[plan].plan; }

  /// Below `first` and above `second` the medians settle it, by more than a tie allows.
  double first() const { return first_; }
  double second() const { return second_; }

 private:
  struct Raised {
    const Plan* plan = nullptr;  ///< as it was found
    double share = 0;            ///< of its bill, that stands and falls with the price; 0: it does not rise
    double most = std::numeric_limits<double>::infinity();  ///< up to which factor it keeps the limits
  };

  bool is_same(const Lease& lease) const {
    return lease.offer->kind == OfferKind::kRented && lease.spot == pick_.spot &&
           lease.offer->gpu == pick_.offer->gpu && lease.offer->provider == pick_.offer->provider;
  }

  double rising_share(const Plan& plan) const {
    double share = 0, all = 0;
    for (const Lease& lease : plan.leases) {
      all += lease.cost.value;
      if (is_same(lease)) share += lease.cost.value * lease.in_doubt;
    }
    const bool rises = std::ranges::any_of(plan.leases, [&](const Lease& lease) { return is_same(lease); });
    if (!rises) return 0;
    return all > 0 ? share / all : 1;  // credits pay it all
  }

  /// What may be the pick at some price. What is tied with the best, or beats one that is, lies no further from it than
  /// a tie allows, and the best is never worse than the best of the others.
  void gather(const SearchResult& found) {
    std::vector<Raised> rising, others;
    for (const Plan* plan : contenders(found.plans)) {
      if (!plan->keeps_limits()) continue;
      const double share = rising_share(*plan);
      (share > 0 ? rising : others).push_back({plan, share});
    }
    if (rising.empty() || others.empty()) return;
    const bool limited = job_.limits.budget || limit_ < kMostTimes;
    for (Raised& one : rising) {
      one.most = limit_;
      if (job_.limits.budget) one.most = std::min(one.most, budget_factor(one));
    }
    double best = std::numeric_limits<double>::infinity();
    for (const Raised& one : others) best = std::min(best, goal_key(job_, *one.plan).first);
    if (job_.goal == Goal::kBestValue || job_.goal == Goal::kCheapest) {
      second_ = factor_for(rising, best * share_);
      if (!limited) first_ = factor_for(rising, best / share_);
    }
    if (take_best(rising, others)) return;
    take(std::move(others), 1, best * share_);
    take(rising, first_, best * share_);
    // Those that keep a budget longest.
    if (limited) {
      sort_stably(rising, {}, [](const Raised& one) { return -one.most; });
      take(std::move(rising), 0, best * share_);
    }
  }

  /// The best of all as they are found, of which the comparison takes the same that the recommendation was made by.
  /// False, and none, where hardly any of the others is among these.
  bool take_best(const std::vector<Raised>& rising, const std::vector<Raised>& others) {
    std::vector<Raised> all = rising;
    all.insert(all.end(), others.begin(), others.end());
    sort_stably(all, {}, [&](const Raised& one) { return std::pair(goal_key(job_, *one.plan).first, one.plan); });
    const std::size_t compared = std::min(all.size(), kMostCompared);
    const auto other = std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(compared),
                                     [](const Raised& one) { return one.share <= 0; });
    constexpr std::ptrdiff_t kEnough = 4;
    if (other < std::min(kEnough, std::ssize(others))) return false;
    all.resize(std::min(all.size(), 2 * kMostCompared));  // some are alike, and the comparison passes them over
    for (const Raised& one : all) {
      raised_.push_back(one);
      plans_.push_back(*one.plan);
    }
    return true;
  }

  /// Adds the best at that factor of those that are no worse; at 0 as they come.
  void take(std::vector<Raised> from, double factor, double worst) {
    constexpr std::size_t kMost = kMostCompared / 3;
    const auto key = [&](const Raised& one) { return key_at(one, factor); };
    if (factor > 0) sort_stably(from, {}, key);
    std::size_t taken = 0;
    for (const Raised& one : from) {
      if (taken == kMost || (factor > 0 && key(one).first > worst)) break;
      if (is_known(one)) continue;
      raised_.push_back(one);
      plans_.push_back(*one.plan);
      ++taken;
    }
  }

  GoalKey key_at(const Raised& one, double factor) const {
    const double dearer = (cost_at(one, factor) - one.plan->cost.p50).value;
    GoalKey key = goal_key(job_, *one.plan);
    (job_.goal == Goal::kBestValue || job_.goal == Goal::kCheapest ? key.first : key.second) += dearer;
    return key;
  }

  /// By the medians: where the best of them is as good as that.
  double factor_for(const std::vector<Raised>& rising, double goal) const {
    const auto worse = [&](double factor) {
      return std::ranges::all_of(rising, [&](const Raised& one) { return key_at(one, factor).first > goal; });
    };
    if (worse(1)) return 1;
    double low = 1, high = kMostTimes;
    if (!worse(high)) return high;
    while (high / low > kNear) {
      const double middle = (low + high) / 2;
      (worse(middle) ? high : low) = middle;
    }
    return high;
  }

  /// The same machines somewhere else, at the same price.
  bool is_known(const Raised& one) const {
    return std::ranges::any_of(raised_, [&](const Raised& known) {
      const Plan &a = *one.plan, &b = *known.plan;
      return &a == &b || ((one.share > 0) == (known.share > 0) && a.node.gpu == b.node.gpu && a.gpus == b.gpus &&
                          a.done() == b.done() && a.cost.p50 == b.cost.p50);
    });
  }

  /// By the medians, of which credits pay what they still have.
  Dollars cost_at(const Raised& one, double factor) const {
    const Plan& plan = *one.plan;
    if (one.share <= 0) return plan.cost.p50;
    const double dearer = 1 + (factor - 1) * one.share;
    if (plan.credits <= Dollars{}) return plan.cost.p50 * dearer;
    const Dollars bill = (plan.cost.p50 + plan.credits) * dearer;
    // Of machines of several providers each has its own; what is paid of it all does not grow.
    const Dollars paid =
        plan.offer != nullptr ? own_.credited(plan.offer->provider, bill, plan.hours.p50) : plan.credits;
    return std::max(bill - paid, Dollars{});
  }

  /// Up to which the budget is kept with the wanted confidence.
  double budget_factor(const Raised& one) const {
    const Biller biller(job_, compared_.errors, compared_.seed);
    Samples dollars = biller.samples_of(*one.plan).dollars;
    std::ranges::sort(dollars);
    std::size_t wanted = 0;
    while (wanted + 1 < dollars.size() && static_cast<double>(wanted + 1) / kSamples < job_.limits.confidence) ++wanted;
    const double left = (*job_.limits.budget - job_.contingency).value;
    const double beside = one.plan->credits.value;  // which does not grow
    return dollars[wanted] > 0 ? 1 + ((left + beside) / (dollars[wanted] + beside) - 1) / one.share : kMostTimes;
  }

  const Job& job_;
  OwnTerms own_;
  Compared compared_;
  const Plan& pick_;
  double share_ = 1;  ///< of two goals, by which a tie may be worse
  double first_ = 1, second_ = kMostTimes;
  std::vector<Raised> raised_;
  std::vector<Plan> plans_;  ///< the same, at the prices that are looked at
  std::optional<Comparison> comparison_;
  double limit_ = kMostTimes;
};

}  // namespace

std::optional<BreakEven> break_even(const Job& job, const SearchResult& found, const Compared& compared) {
  if (!found.recommendations.pick || found.recommendations.limits_missed) return std::nullopt;
  const Plan& pick = found.plans[static_cast<std::size_t>(*found.recommendations.pick)];
  const auto now = price_of(pick);
  if (pick.offer == nullptr || pick.offer->kind != OfferKind::kRented || !now || *now <= DollarsPerSecond{})
    return std::nullopt;
  if (std::ranges::any_of(pick.leases, [](const Lease& lease) { return lease.covered > 0; })) return std::nullopt;
  Rising rising(job, found, compared, pick);
  if (!rising.any_other()) return std::nullopt;
  const Plan* then = nullptr;
  const auto stops = [&](double factor) {
    const auto at = rising.pick_at(factor);
    if (!at || rising.rises(*at)) return false;
    then = rising.found_as(*at);
    return true;
  };
  double low = rising.first(), high = std::max(rising.second(), low * kNear);
  if (stops(low)) {
    if (low <= 1) return std::nullopt;
    low = 1;
    if (stops(low)) return std::nullopt;
  }
  while (!stops(high)) {
    if (high >= kMostTimes) return std::nullopt;
    low = high;
    high = std::min(high * 2, kMostTimes);
  }
  while (high / low > kNear) {
    const double middle = (low + high) / 2;
    (stops(middle) ? high : low) = middle;
  }
  stops(high);
  return BreakEven{*now, *now * low, then};
}

}  // namespace gpuplan
