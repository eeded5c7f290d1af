#include "api/questions/frontier_offers.h"

#include <algorithm>
#include <functional>

#include "base/sorting.h"
#include "domain/market/offer_order.h"
#include "plan/advice/whatif.h"

namespace gpuplan::api {
namespace {

const std::vector<Offer>& list_of(const Job& job, FrontierOffer::List list) {
  switch (list) {
    case FrontierOffer::List::kOffers:
      return job.market.offers;
    case FrontierOffer::List::kPools:
      return job.market.pools;
    default:
      return job.market.own;
  }
}

}  // namespace

std::vector<FrontierOffer> frontier_offers(const Searched& answer) {
  struct Use {
    const Offer* offer;
    bool on_demand, spot;
  };
  std::vector<Use> uses;
  const auto add = [&](const Offer* offer, bool spot) {
    if (offer == nullptr) return;
    auto use = std::ranges::find(uses, offer, &Use::offer);
    if (use == uses.end()) use = uses.insert(uses.end(), {offer, false, false});
    (spot ? use->spot : use->on_demand) = true;
  };
  const auto& plans = answer.found.plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].on_frontier && answer.found.recommendations.pick != static_cast<int>(i)) continue;
    add(plans[i].offer, plans[i].spot);
    for (const PhasePlan& phase : plans[i].phases) add(phase.offer, phase.spot);
  }
  sort_stably(uses, std::less<>{}, &Use::offer);

  // Offers of the job's own lists, which stand somewhere in the order of the market; of those that `where` leaves out
  // there is none.
  std::vector<FrontierOffer> stages;
  std::vector<bool> known(uses.size(), false);
  const bool leveled = answer.job.market.price_level != 1;  // prices of rented machines are other ones there
  const auto is_row = [&](const Offer& own, const Offer& searched) {
    return same_offer(searched, own) || (leveled && same_machine(searched, own));
  };
  for (const auto list : {FrontierOffer::List::kOffers, FrontierOffer::List::kPools, FrontierOffer::List::kOwn}) {
    const std::vector<Offer>& own = list_of(answer.job, list);
    for (std::size_t i = 0; i < own.size(); ++i)
      for (std::size_t u = 0; u < uses.size(); ++u) {
        const Use& use = uses[u];
        if (known[u] || !is_row(own[i], *use.offer)) continue;
        known[u] = true;
        stages.push_back({list, i, *use.offer, use.offer, use.on_demand, use.spot});
        break;
      }
  }
  for (std::size_t u = 0; u < uses.size(); ++u)
    if (!known[u])
      stages.push_back(
          {FrontierOffer::List::kMarket, 0, *uses[u].offer, uses[u].offer, uses[u].on_demand, uses[u].spot});
  return stages;
}

std::optional<Offer> offer_of(const Job& job, const FrontierOffer& stage) {
  if (stage.list != FrontierOffer::List::kMarket && stage.position >= list_of(job, stage.list).size())
    return std::nullopt;
  Offer offer = stage.list == FrontierOffer::List::kMarket ? stage.offer : list_of(job, stage.list)[stage.position];
  if (!stage.on_demand) offer.price.reset();
  if (!stage.spot) offer.spot_price.reset();
  return offer;
}

std::vector<Offer> market_of(const Job& job, const std::vector<FrontierOffer>& stages) {
  std::vector<Offer> market;
  for (const FrontierOffer& stage : stages)
    if (auto offer = offer_of(job, stage)) market.push_back(*std::move(offer));
  return market;
}

const Plan* plan_on_same(const std::vector<FrontierOffer>& offers, const Plan& pick, const SearchResult& found,
                         const std::vector<Offer>& market) {
  if (market.size() != offers.size()) return nullptr;  // one of them is gone: places mean nothing any more
  const auto same = [&](const Offer* offer, const Offer* before) {
    const auto at = std::ranges::find(offers, before, &FrontierOffer::at);
    return offer == (at == offers.end() ? nullptr : &market[static_cast<std::size_t>(at - offers.begin())]);
  };
  const Plan* nearest = nullptr;
  for (const Plan& plan : found.plans) {
    if (plan.gpus != pick.gpus || plan.nodes != pick.nodes || plan.spot != pick.spot) continue;
    if (!same(plan.offer, pick.offer)) continue;
    const auto same_part = [&](const PhasePlan& a, const PhasePlan& b) {
      return a.spot == b.spot && same(a.offer, b.offer);
    };
    if (pick.offer == nullptr && !std::ranges::equal(plan.phases, pick.phases, same_part)) continue;
    if (nearest == nullptr || likeness(plan, pick) > likeness(*nearest, pick)) nearest = &plan;
  }
  return nearest;
}

std::string_view list_address(FrontierOffer::List list) {
  switch (list) {
    case FrontierOffer::List::kOffers:
      return "market.offers";
    case FrontierOffer::List::kPools:
      return "market.pools";
    default:
      return "market.own";
  }
}

}  // namespace gpuplan::api
