// Rows of prices: what an offer asks, as it stands in the database.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/market/offer.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// What a row of `prices` says beside its dates.
struct PriceValues {
  std::optional<double> price, spot;  ///< medians, dollars a second
  std::int64_t stock = 0;
  double reliability = 0;
  std::int64_t details = 0;
  std::optional<double> price_low, price_high, spot_low, spot_high;  ///< absent: exact

  /// Whether a row that says `other` is still right. How reliable a host was changes every hour.
  bool same(const PriceValues& other) const {
    return price == other.price && spot == other.spot && stock == other.stock && details == other.details &&
           price_low == other.price_low && price_high == other.price_high && spot_low == other.spot_low &&
           spot_high == other.spot_high;
  }
};

inline constexpr const char* kPriceColumns =
    "price, spot, stock, reliability, details, price_low, price_high, spot_low, spot_high";

PriceValues values_of(const Offer& offer, std::int64_t details);
/// From the column `at` on, in the order of kPriceColumns.
PriceValues values_in(const Statement& row, int at);
/// Prices, stock and reliability; not the details.
void fill(Offer& offer, const PriceValues& values);

}  // namespace gpuplan
