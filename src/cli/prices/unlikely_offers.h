// Offers that a list can not mean: of a day to come, or at a price that nobody else asks.
#pragma once

#include <string_view>
#include <vector>

#include "domain/market/offer.h"
#include "input/feeds/rows/feed.h"

namespace gpuplan::cli {

/// Rejects rows that are dated after `today`, by more than what time zones explain.
void reject_future(Feed& list, std::string_view today);

/// Rejects rows whose price nobody else asks (evidence/market/odd_prices.h), and leaves out such a price for spot where
/// that on demand is none. `known`: the offers that are known already. `keep`: they are kept and told as corrected.
void look_at_odd(std::vector<Feed>& lists, const std::vector<Offer>& known, bool keep);

}  // namespace gpuplan::cli
