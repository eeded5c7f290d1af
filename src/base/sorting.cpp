#include "base/sorting.h"

#include <algorithm>
#include <numeric>

namespace gpuplan {
namespace {

constexpr std::size_t kInserted = 8;  // elements that are put in order by insertion

}  // namespace

std::vector<std::uint32_t> positions_in_order(std::size_t count, ComesBefore before, const void* list) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::size_t sorted = 1;
  while (sorted < count && !before(list, sorted, sorted - 1)) ++sorted;
  if (sorted >= count) return order;
  for (std::size_t from = 0; from < count; from += kInserted)
    for (std::size_t i = from + 1; i < std::min(from + kInserted, count); ++i) {
      const std::uint32_t held = order[i];
      std::size_t to = i;
      for (; to > from && before(list, held, order[to - 1]); --to) order[to] = order[to - 1];
      order[to] = held;
    }
  std::vector<std::uint32_t> merged(count);
  for (std::size_t length = kInserted; length < count; length *= 2) {
    for (std::size_t from = 0; from < count; from += 2 * length) {
      const std::size_t middle = std::min(from + length, count), end = std::min(from + 2 * length, count);
      std::size_t left = from, right = middle;
      for (std::size_t to = from; to < end; ++to) {
        const bool from_right = left == middle || (right < end && before(list, order[right], order[left]));
        merged[to] = from_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

}  // namespace gpuplan
