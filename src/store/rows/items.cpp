#include "store/rows/items.h"

#include <algorithm>

#include "store/rows/dates.h"

namespace gpuplan {
namespace {

auto order_of(const Item& item) {
  const PriceValues& v = item.values;
  return std::tuple(item.series(), item.day, v.price, v.spot, v.stock, v.details, v.price_low, v.price_high, v.spot_low,
                    v.spot_high, v.reliability);
}

}  // namespace

void sort_items(std::span<Item> items) {
  std::ranges::sort(items, [](const Item& a, const Item& b) { return order_of(a) < order_of(b); });
}

void make_set(std::vector<int>& days) {
  std::ranges::sort(days);
  days.erase(std::ranges::unique(days).begin(), days.end());
}

std::vector<int> days_of(std::span<const Item> items) {
  std::vector<int> days;
  for (const Item& item : items)
    if (days.empty() || days.back() != item.day) days.push_back(item.day);
  make_set(days);
  return days;
}

ItemNumbers::ItemNumbers(Database& database)
    : texts_(database),
      details_(database, texts_),
      find_group_(database, "SELECT id FROM groups WHERE gpu = ? AND provider = ? AND region = ? AND source = ?"),
      add_group_(database, "INSERT INTO groups (gpu, provider, region, source) VALUES (?, ?, ?, ?) RETURNING id") {}

Item ItemNumbers::item_of(const Offer& offer) {
  const std::tuple key(texts_.number_of(offer.gpu), texts_.number_of(offer.provider), texts_.number_of(offer.region),
                       texts_.number_of(offer.source));
  const auto [known, is_new] = groups_.try_emplace(key, 0);
  if (is_new) {
    const auto& [gpu, provider, region, source] = key;
    if (find_group_(gpu, provider, region, source)) {
      known->second = find_group_.whole(0);
    } else if (add_group_(gpu, provider, region, source)) {
      known->second = add_group_.whole(0);
      add_group_.next();
    }
  }
  return {known->second,
          0,
          texts_.number_of(offer.instance),
          texts_.number_of(offer.zone),
          offer.gpus,
          packed_date(offer.as_of),
          values_of(offer, details_.number_of(offer))};
}

}  // namespace gpuplan
