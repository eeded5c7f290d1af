// Words that say whether a machine can be had.
#pragma once

#include <string_view>

#include "domain/market/offer.h"

namespace gpuplan {

/// What a field of availability says: HIGH, "low", "no capacity", "waitlist", "sold out until Q1", "ausverkauft".
Stock stock_said(std::string_view text);
/// The words leave no doubt that it can not be had, wherever they stand: "out of stock", and not "often sold out".
bool says_sold_out(std::string_view text);

}  // namespace gpuplan
