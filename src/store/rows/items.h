// Offers of a list as the store takes them: their names as numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "domain/market/offer.h"
#include "store/rows/names.h"
#include "store/rows/price_rows.h"
#include "store/sql/sql.h"

namespace gpuplan {

struct Item {
  std::int64_t group = 0, part = 0, instance = 0, zone = 0;
  int gpus = 0, day = 0;
  PriceValues values{};

  auto series() const { return std::tuple(group, part, instance, zone, gpus); }
  /// Nothing tells the two apart.
  bool same(const Item& other) const {
    return series() == other.series() && day == other.day && values.same(other.values) &&
           values.reliability == other.values.reliability;
  }
};

/// By series and day, and of one day by price, so that the cheapest is always number 0.
void sort_items(std::span<Item> items);

/// Days of items, each once, in their order.
std::vector<int> days_of(std::span<const Item> items);
void make_set(std::vector<int>& days);

/// Gives names their numbers; new ones are added. Failures are the database's.
class ItemNumbers {
 public:
  explicit ItemNumbers(Database& database);
  Item item_of(const Offer& offer);
  std::int64_t text(const std::string& text) { return texts_.number_of(text); }

 private:
  StoredTexts texts_;
  StoredDetails details_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> groups_;
  Statement find_group_, add_group_;
};

}  // namespace gpuplan
