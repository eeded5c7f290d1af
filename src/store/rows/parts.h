// Which part of a group a list tells of: several lists of one source may tell of one GPU in one region on one day, and
// all of them count.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "store/rows/items.h"

namespace gpuplan {

class Parts {
 public:
  static constexpr std::int64_t kToldAlready = -1;

  explicit Parts(Database& database);

  /// Parts of the days of a group but for those of part 0. A day goes to the part in which this list told of it before,
  /// else to the first in which nobody did. A day before the newest of the group whose `items` (of the group, all days)
  /// another list told word for word gets kToldAlready: lists that bring all of their past each time would fill a part
  /// each. Without items nothing is looked for.
  std::map<int, std::int64_t> choose(std::int64_t group, std::span<const int> days, std::int64_t list,
                                     std::span<const Item> items);

 private:
  std::int64_t part_for(std::int64_t group, int day, std::int64_t list, std::span<const Item> past_items);
  bool holds(std::int64_t group, std::int64_t part, int day, std::int64_t import, std::span<const Item> items);

  Statement find_newest_, find_parts_, find_content_;
};

}  // namespace gpuplan
