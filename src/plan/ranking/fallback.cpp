#include "plan/ranking/fallback.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/sorting.h"
#include "plan/billing/own_terms.h"
#include "plan/ranking/decisions.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

constexpr std::size_t kFew = 4;
constexpr std::size_t kMostTried = 6;  ///< in the order proper; nobody tries more
constexpr double kNoChoice = 3;        ///< times worse than the last of them, easy to get is no reason any more

/// How many times the price of its machines makes a bill of the plan cost so much, where credits pay some of it; at
/// least 1.
double price_factor(const Job& job, const Plan& plan, Dollars bill, Dollars cost) {
  const OwnTerms own(job);
  const auto paid = [&](double factor) {
    return bill * factor - own.credited(plan.offer->provider, bill * factor, plan.hours.p50);
  };
  double low = 1, high = 2;
  constexpr double kMost = 1e6;
  while (paid(high) < cost && high < kMost) high *= 2;
  for (int i = 0; i < 60; ++i) (paid((low + high) / 2) < cost ? low : high) = (low + high) / 2;
  return low;
}

/// Fallback::below. Hours do not depend on the price, dollars are proportional to it before credits.
std::optional<DollarsPerSecond> price_limit(const Job& job, const SearchResult& found, const Plan& plan,
                                            const Plan* next) {
  const auto price = price_of(plan);
  if (found.recommendations.limits_missed || !price || plan.cost.p50 + plan.credits <= Dollars{}) return std::nullopt;
  // What a contract says is no price that may be another one.
  if (std::ranges::any_of(plan.leases, [](const Lease& lease) { return lease.covered > 0; })) return std::nullopt;
  const auto factor_for = [&](Dollars cost, Dollars now) {
    return plan.credits > Dollars{} ? price_factor(job, plan, now + plan.credits, cost) : cost / now;
  };
  double factor = std::numeric_limits<double>::infinity();
  if (next != nullptr && (job.goal == Goal::kBestValue || job.goal == Goal::kCheapest)) {
    const DollarsPerSecond value = job.goal == Goal::kBestValue ? job.value_of_time : DollarsPerSecond{};
    // What stands first in a tie, being commoner or fewer, has no price up to which it is the least.
    const Dollars even = total_at(*next, value) - value * plan.done();
    if (even < plan.cost.p50) return std::nullopt;
    factor = factor_for(even, plan.cost.p50);
  }
  // The budget has to hold with the wanted confidence, which p90 stands for here.
  if (job.limits.budget && plan.meets_budget && plan.cost.p90 > Dollars{})
    factor = std::min(factor, factor_for(*job.limits.budget - job.contingency, plan.cost.p90));
  // Dearer machines are none that the job would take.
  if (plan.offer != nullptr) {
    const auto& one = plan.spot ? plan.offer->spot_price : plan.offer->price;
    for (const auto& most : {job.where.max_price, plan.spot ? job.spot.max_price : std::nullopt})
      if (one && most && one->p50 > DollarsPerSecond{}) factor = std::min(factor, *most / one->p50);
  }
  if (factor == std::numeric_limits<double>::infinity()) return std::nullopt;
  return *price * factor;
}

/// Whether it takes the machine of the first, on its terms, and fewer of them at a time.
bool takes_machine_of(const Plan& plan, const Plan& first) {
  if (first.offer == nullptr || first.at_once < 2 || plan.at_once >= first.at_once) return false;
  return std::ranges::any_of(
      plan.leases, [&](const Lease& lease) { return lease.offer == first.offer && lease.spot == first.spot; });
}

class Order {
 public:
  Order(const Job& job, const SearchResult& found, const Compared& compared)
      : job_(job), found_(found), compared_(compared) {
    const bool any = std::ranges::any_of(found.plans, &Plan::keeps_limits);
    for (const Plan* plan : contenders(found.plans))
      if (!any || plan->keeps_limits()) left_.push_back(plan);
    sort_stably(left_, {}, [&](const Plan* plan) { return rank(*plan); });
  }

  std::vector<Fallback> rows() {
    take(found_.plans[static_cast<std::size_t>(*found_.recommendations.pick)], "first", true);
    while (rows_.size() < kMostTried) {
      const Plan* next = first_of([](const Plan&) { return true; });
      if (next == nullptr) return elsewhere();
      // What takes the very machine of the first, only fewer of them, is no stand-in where none is free.
      const bool fewer = takes_machine_of(*next, *rows_.front().plan);
      const bool other = std::ranges::any_of(rows_, [](const Fallback& row) { return row.role == "if unavailable"; });
      take(*next, fewer ? "if fewer are free" : other ? "then" : "if unavailable", true);
    }
    // The same that the decisions name.
    if (std::ranges::none_of(rows_, [](const Fallback& row) { return takes_one_gpu(*row.plan); }))
      if (const auto one = settled_among(job_, found_.plans, compared_, takes_one_gpu))
        take(found_.plans[static_cast<std::size_t>(*one)], "one GPU");
    // What is easiest to get of the rest, when that is easier than anything above.
    const auto ease = [](const Plan& plan) {
      return plan.offer == nullptr ? Availability::kUnknown : availability_of(*plan.offer);
    };
    Availability best = Availability::kVeryRare;
    for (const Fallback& row : rows_) best = std::min(best, ease(*row.plan));
    const double most = kNoChoice * rank(*rows_.back().plan).first;
    for (const Availability wanted : {Availability::kCommon, Availability::kVaries})
      if (wanted < best)
        if (const Plan* plan = first_of([&](const Plan& p) { return ease(p) == wanted && rank(p).first <= most; });
            plan != nullptr) {
          take(*plan, "last choice");
          return std::move(rows_);
        }
    return std::move(rows_);
  }

  /// Offers of the same machines, the plan's own among them, that keep the limits.
  int offers_like(const Plan& plan) const {
    std::vector<const Offer*> offers;
    for (const Plan& other : found_.plans)
      if (other.offer != nullptr && other.label == plan.label && other.keeps_limits() == plan.keeps_limits() &&
          std::ranges::find(offers, other.offer) == offers.end())
        offers.push_back(other.offer);
    return static_cast<int>(offers.size());
  }

 private:
  /// By the job's goal; where no plan keeps the limits, by how near it comes to the one that is missed.
  GoalKey rank(const Plan& plan) const {
    if (!found_.recommendations.limits_missed) return goal_key(job_, plan);
    if (misses_deadline(job_, found_)) return {plan.hours.p90.value};
    // Each limit is kept by some plan, and both by none: what comes in time goes first.
    return {plan.meets_deadline ? 0.0 : 1.0, plan.cost.p90.value};
  }

  /// The pick of those that are left, by the rule that recommends; where the limits are missed, what comes nearest.
  template <class Counts>
  const Plan* first_of(Counts counts) const {
    std::vector<int> positions;
    for (const Plan* plan : left_) {
      if (!counts(*plan)) continue;
      if (found_.recommendations.limits_missed) return plan;
      positions.push_back(static_cast<int>(plan - found_.plans.data()));
    }
    if (positions.empty()) return nullptr;
    return &found_.plans[static_cast<std::size_t>(pick_of(job_, found_.plans, positions, compared_))];
  }

  /// Other offers of the same machines are one line, and counted.
  void take(const Plan& plan, std::string role, bool ranked = false) {
    rows_.push_back({&plan, std::move(role), ranked});
    std::erase_if(left_, [&](const Plan* other) {
      const bool same = other != &plan && other->label == plan.label;
      if (same) same_.push_back(other);
      return other == &plan || same;
    });
  }

  /// Where there are few kinds of machine to choose from, the same ones of other providers.
  std::vector<Fallback> elsewhere() {
    for (const Plan* plan : same_) {
      if (rows_.size() >= kFew) break;
      const bool listed = std::ranges::any_of(rows_, [&](const Fallback& row) {
        return row.plan->label == plan->label && row.plan->offer != nullptr && plan->offer != nullptr &&
               row.plan->offer->provider == plan->offer->provider;
      });
      if (!listed) rows_.push_back({plan, "same machine elsewhere", false});
    }
    return std::move(rows_);
  }

  const Job& job_;
  const SearchResult& found_;
  Compared compared_;
  std::vector<const Plan*> left_;  ///< best first
  std::vector<const Plan*> same_;  ///< other offers of machines that are taken
  std::vector<Fallback> rows_;
};

}  // namespace

bool misses_deadline(const Job& job, const SearchResult& found) {
  return job.limits.deadline && !found.recommendations.within_deadline;
}

std::vector<Fallback> fallback_order(const Job& job, const SearchResult& found, const Compared& compared) {
  Order order(job, found, compared);
  std::vector<Fallback> rows = order.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // What is best of the rows below is taken above that price, whatever stands next.
    const Plan* next = nullptr;
    for (std::size_t below = i + 1; below < rows.size(); ++below)
      if (next == nullptr || goal_key(job, *rows[below].plan) < goal_key(job, *next)) next = rows[below].plan;
    rows[i].offers = order.offers_like(*rows[i].plan);
    rows[i].below = price_limit(job, found, *rows[i].plan, next);
  }
  return rows;
}

std::vector<Fallback> market_order(const Job& job, const SearchResult& found, const Compared& compared) {
  return market_order(job, found, fallback_order(job, found, compared));
}

std::vector<Fallback> market_order(const Job& job, const SearchResult& found, std::vector<Fallback> rows) {
  for (const Plan& plan : found.plans) {
    const bool listed = std::ranges::any_of(rows, [&](const Fallback& row) { return row.plan == &plan; });
    if (plan.on_frontier && !listed)
      rows.push_back({.plan = &plan, .role = "on the frontier", .below = price_limit(job, found, plan, nullptr)});
  }
  return rows;
}

}  // namespace gpuplan
