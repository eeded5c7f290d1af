#include "store/rows/price_rows.h"

namespace gpuplan {
namespace {

using StoredPrice = std::optional<Interval<DollarsPerSecond>>;

void split_price(const StoredPrice& price, std::optional<double>& middle, std::optional<double>& low,
                 std::optional<double>& high) {
  if (!price) return;
  middle = price->p50.value;
  if (price->exact()) return;
  low = price->p10.value;
  high = price->p90.value;
}

StoredPrice joined_price(std::optional<double> middle, std::optional<double> low, std::optional<double> high) {
  if (!middle) return std::nullopt;
  return Interval<DollarsPerSecond>{DollarsPerSecond{low.value_or(*middle)}, DollarsPerSecond{*middle},
                                    DollarsPerSecond{high.value_or(*middle)}};
}

}  // namespace

PriceValues values_of(const Offer& offer, std::int64_t details) {
  PriceValues values;
  split_price(offer.price, values.price, values.price_low, values.price_high);
  split_price(offer.spot_price, values.spot, values.spot_low, values.spot_high);
  values.stock = static_cast<std::int64_t>(offer.stock);
  values.reliability = offer.reliability;
  values.details = details;
  return values;
}

PriceValues values_in(const Statement& row, int at) {
  return {row.maybe(at),     row.maybe(at + 1), row.whole(at + 2), row.number(at + 3), row.whole(at + 4),
          row.maybe(at + 5), row.maybe(at + 6), row.maybe(at + 7), row.maybe(at + 8)};
}

void fill(Offer& offer, const PriceValues& values) {
  offer.price = joined_price(values.price, values.price_low, values.price_high);
  offer.spot_price = joined_price(values.spot, values.spot_low, values.spot_high);
  if (values.stock >= 0 && values.stock <= static_cast<std::int64_t>(Stock::kHigh))
    offer.stock = static_cast<Stock>(values.stock);
  offer.reliability = values.reliability;
}

}  // namespace gpuplan
