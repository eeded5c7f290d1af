#include "cli/frontier_offers.h"

#include <algorithm>
#include <functional>

namespace gpuplan::cli {
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
  std::ranges::sort(uses, std::less<>{}, &Use::offer);

  // The market begins with the job's own offers, in their order, less those that `where` leaves out.
  std::vector<FrontierOffer> stages;
  const Offer* next = answer.market.data();
  const Offer* const end = next + answer.market.size();
  const auto same = [](const Offer& a, const Offer& b) {
    return a.kind == b.kind && a.gpu == b.gpu && a.gpus == b.gpus && a.provider == b.provider && a.region == b.region &&
           a.instance == b.instance && a.label == b.label && a.price == b.price && a.spot_price == b.spot_price;
  };
  for (const auto list : {FrontierOffer::List::kOffers, FrontierOffer::List::kPools, FrontierOffer::List::kOwn}) {
    const std::vector<Offer>& own = list_of(answer.job, list);
    for (std::size_t i = 0; i < own.size() && next != end; ++i) {
      if (!same(*next, own[i])) continue;
      if (const auto use = std::ranges::find(uses, next, &Use::offer); use != uses.end())
        stages.push_back({list, i, *next, next, use->on_demand, use->spot});
      ++next;
    }
  }
  for (const Use& use : uses)
    if (use.offer >= next)
      stages.push_back({FrontierOffer::List::kMarket, 0, *use.offer, use.offer, use.on_demand, use.spot});
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

}  // namespace gpuplan::cli
