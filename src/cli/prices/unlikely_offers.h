// Offers that a list can not mean: of a day to come, or at a price that nobody else asks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/market/offer.h"
#include "evidence/market/odd_prices.h"
#include "input/feeds/rows/feed.h"
#include "store/rows/staging.h"

namespace gpuplan::cli {

/// Rejects rows that are dated after `today`, by more than what time zones explain.
void reject_future(Feed& list, std::string_view today);

/// Looks at an offer of a list whose price nobody else asks: it is rejected, or its spot price is left out where that
/// on demand is none such, and the counts and notes of the list say so. `keep`: it is kept and told as corrected.
OfferVerdict look_at_odd(Feed& list, const Offer& offer, const OfferRow& row, PriceJudge& judge, bool keep);

/// The same of all offers of lists, which the judge need not know.
void look_at_odd(std::vector<Feed>& lists, PriceJudge& judge, bool keep);

}  // namespace gpuplan::cli
