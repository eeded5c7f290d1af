#include "store/rows/parts.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace gpuplan {

Parts::Parts(Database& database)
    : find_newest_(database, "SELECT max(day) FROM listings WHERE grp = ?"),
      find_parts_(database, "SELECT part, list, import FROM listings WHERE grp = ? AND day = ? ORDER BY part, import"),
      find_content_(database,
                    "SELECT s.instance, s.zone, s.gpus, " + std::string(kPriceColumns) +
                        " FROM series s JOIN prices p ON p.series = s.id WHERE s.grp = ?1 AND s.part = ?2 AND "
                        "p.first <= ?3 AND p.last >= ?3 AND p.first_import <= ?4 AND p.last_import >= ?4") {}

std::map<int, std::int64_t> Parts::choose(std::int64_t group, std::span<const int> days, std::int64_t list,
                                          std::span<const Item> items) {
  std::map<int, std::int64_t> part_of;
  if (!find_newest_(group) || find_newest_.whole(0) == 0) return part_of;
  const std::int64_t newest = std::max<std::int64_t>(find_newest_.whole(0), days.back());
  for (const int day : days)
    if (const std::int64_t part = part_for(group, day, list, day < newest ? items : std::span<const Item>()); part != 0)
      part_of[day] = part;
  return part_of;
}

std::int64_t Parts::part_for(std::int64_t group, int day, std::int64_t list, std::span<const Item> past_items) {
  std::map<std::int64_t, std::int64_t> others;  // part and its last import
  for (bool more = find_parts_(group, day); more; more = find_parts_.next()) {
    const std::int64_t by = find_parts_.whole(1);
    if (by == list || by == 0) return find_parts_.whole(0);
    others[find_parts_.whole(0)] = find_parts_.whole(2);
  }
  std::int64_t free = 0;
  for (const auto& [part, import] : others) {
    if (!past_items.empty() && holds(group, part, day, import, past_items)) return kToldAlready;
    if (part == free) ++free;
  }
  return free;
}

/// Whether a part says of a day all that the items of that day do.
bool Parts::holds(std::int64_t group, std::int64_t part, int day, std::int64_t import, std::span<const Item> items) {
  std::multimap<std::tuple<std::int64_t, std::int64_t, int>, PriceValues> said;
  constexpr int kValues = 3;
  for (bool more = find_content_(group, part, day, import); more; more = find_content_.next())
    said.emplace(std::tuple(find_content_.whole(0), find_content_.whole(1), static_cast<int>(find_content_.whole(2))),
                 values_in(find_content_, kValues));
  for (const Item& item : items) {
    if (item.day != day) continue;
    auto [one, end] = said.equal_range({item.instance, item.zone, item.gpus});
    while (one != end && !one->second.same(item.values)) ++one;
    if (one == end) return false;
    said.erase(one);
  }
  return true;
}

}  // namespace gpuplan
