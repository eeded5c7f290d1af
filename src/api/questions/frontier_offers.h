// The offers of a search's frontier, to search a changed job on them alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "api/questions/question.h"

namespace gpuplan::api {

/// An offer of the frontier: where in the job it is written, or the offer itself.
struct FrontierOffer {
  enum class List { kOffers, kPools, kOwn, kMarket };
  List list = List::kMarket;
  std::size_t position = 0;
  Offer offer;
  const Offer* at = nullptr;             ///< in the market that was searched
  bool on_demand = false, spot = false;  ///< which of its plans are on the frontier
};

/// Offers of the plans that nothing else beats and of the pick, in the order of the market.
std::vector<FrontierOffer> frontier_offers(const Searched& answer);

/// A frontier offer as a changed job has it, with the prices that its frontier plans pay; nullopt when it is gone.
std::optional<Offer> offer_of(const Job& job, const FrontierOffer& stage);

/// All of them. The search asks for nothing else.
std::vector<Offer> market_of(const Job& job, const std::vector<FrontierOffer>& stages);

/// The plan on the machines of `pick`, a plan of the search that gave `offers`, in an answer whose market are these
/// offers in their order; null when there is none.
const Plan* plan_on_same(const std::vector<FrontierOffer>& offers, const Plan& pick, const SearchResult& found,
                         const std::vector<Offer>& market);

/// "market.offers"; REQUIRES: not kMarket.
std::string_view list_address(FrontierOffer::List list);

}  // namespace gpuplan::api
