#include "plan/ranking/break_even.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "plan/billing/bill.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

constexpr double kMostTimes = 64;
constexpr double kNear = 1.00002;  // of two factors: how exactly a price is told

class Rising {
 public:
  Rising(const Job& job, const SearchResult& found, const Compared& compared, const Plan& pick)
      : job_(job), compared_(compared), pick_(pick), plans_(found.plans), biller_(job, compared.errors, compared.seed) {
    if (!compared_.common) compared_.common = &(common_ = plans_by_gpu(found.plans));
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const bool rises = std::ranges::any_of(plans_[i].leases, [&](const Lease& lease) { return is_same(lease); });
      rises_.push_back(rises);
      if (!rises) continue;
      Arrangement arrangement = arrangement_of(plans_[i]);
      for (LeaseRequest& lease : arrangement.leases) lease.offer = changed(lease.offer);
      laid_.emplace_back(i, biller_.schedule(std::move(arrangement)));
    }
    const auto& listed = pick_.spot ? pick_.offer->spot_price : pick_.offer->price;
    for (const auto& most : {job.where.max_price, pick_.spot ? job.spot.max_price : std::nullopt})
      if (most) limit_ = std::min(limit_, *most / listed->p50);
  }

  /// The plan that is the pick then, by its place.
  std::optional<int> pick_at(double factor) {
    // Dearer machines are none that the job would take.
    if (factor > limit_) return among_others();
    for (auto& [copy, offer] : offers_) {
      copy = *offer;
      if (offer->provider != pick_.offer->provider || offer->gpu != pick_.offer->gpu) continue;
      auto& price = pick_.spot ? copy.spot_price : copy.price;
      if (price) price = {price->p10 * factor, price->p50 * factor, price->p90 * factor};
    }
    for (const auto& [i, laid] : laid_) {
      const bool too_long = plans_[i].too_long;
      plans_[i] = biller_.price(laid);
      plans_[i].too_long = too_long;
    }
    return recommend(job_, plans_, compared_).pick;
  }

  Dollars cost_of(int plan) const { return plans_[static_cast<std::size_t>(plan)].cost.p50; }
  bool rises(int plan) const { return rises_[static_cast<std::size_t>(plan)]; }

 private:
  bool is_same(const Lease& lease) const {
    return lease.offer->kind == OfferKind::kRented && lease.spot == pick_.spot &&
           lease.offer->gpu == pick_.offer->gpu && lease.offer->provider == pick_.offer->provider;
  }

  /// The copy of an offer whose price is changed.
  const Offer* changed(const Offer* offer) {
    const auto known = std::ranges::find(offers_, offer, &std::pair<Offer, const Offer*>::second);
    return known != offers_.end() ? &known->first : &offers_.emplace_back(*offer, offer).first;
  }

  std::optional<int> among_others() const {
    std::vector<Plan> others;
    std::vector<int> places;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (rises_[i]) continue;
      others.push_back(plans_[i]);
      places.push_back(static_cast<int>(i));
    }
    const auto pick = recommend(job_, others, compared_).pick;
    return pick ? std::optional(places[static_cast<std::size_t>(*pick)]) : std::nullopt;
  }

  const Job& job_;
  PlansByGpu common_;
  Compared compared_;
  const Plan& pick_;
  std::vector<Plan> plans_;
  Biller biller_;
  std::vector<bool> rises_;
  std::deque<std::pair<Offer, const Offer*>> offers_;  ///< as changed, and as it is
  std::vector<std::pair<std::size_t, JobSchedule>> laid_;
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
  const auto stays = [&](const Plan& plan) {
    return plan.offer == nullptr || plan.offer->gpu != pick.offer->gpu || plan.offer->provider != pick.offer->provider;
  };
  if (std::ranges::none_of(found.plans, stays)) return std::nullopt;
  Rising rising(job, found, compared, pick);
  std::optional<int> then;
  const auto stops = [&](double factor) {
    const auto at = rising.pick_at(factor);
    if (!at || rising.rises(*at)) return false;
    then = at;
    return true;
  };
  // Plans that were billed otherwise (other errors, figures of somebody else) have no such price.
  if (!rising.rises(*found.recommendations.pick) || rising.pick_at(1) != found.recommendations.pick ||
      rising.cost_of(*found.recommendations.pick) != pick.cost.p50)
    return std::nullopt;
  double low = 1, high = 2;
  while (!stops(high)) {
    if (high >= kMostTimes) return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high / low > kNear) {
    const double middle = (low + high) / 2;
    (stops(middle) ? high : low) = middle;
  }
  return BreakEven{*now, *now * low, &found.plans[static_cast<std::size_t>(*then)]};
}

}  // namespace gpuplan
