// A stable sort that is compiled once. std::ranges::stable_sort is some 3 KB of code for each comparison that it is
// called with, and lists that people read are short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuplan {

/// Whether element `a` of a list comes before element `b`.
using ComesBefore = bool (*)(const void* list, std::size_t a, std::size_t b);

/// The positions 0 to count-1 in order; those of which none comes before the other stay as they are. By merging:
/// O(count log count) comparisons, count-1 where all are in order.
std::vector<std::uint32_t> positions_in_order(std::size_t count, ComesBefore before, const void* list);

/// What an element is sorted by: `key` is a member of it, or takes it. (std::invoke, whose header is a heavy one.)
template <class Key, class Element>
constexpr decltype(auto) key_of(const Key& key, Element& element) {
  if constexpr (std::is_member_pointer_v<Key> && std::is_pointer_v<std::remove_cv_t<Element>>)
    return key_of(key, *element);
  else if constexpr (std::is_member_function_pointer_v<Key>) return (element.*key)();
  else if constexpr (std::is_member_object_pointer_v<Key>) return (element.*key);
  else return key(element);
}

/// std::ranges::stable_sort. Elements are moved once.
template <std::ranges::random_access_range Range, class Less = std::ranges::less, class Key = std::identity>
void sort_stably(Range&& range, Less less = {}, Key key = {}) {
  const auto first = std::ranges::begin(range);
  const auto at = [&](std::size_t position) -> decltype(auto) {
    return first[static_cast<std::iter_difference_t<decltype(first)>>(position)];
  };
  const auto before = [&](std::size_t a, std::size_t b) -> bool {
    return less(key_of(key, at(a)), key_of(key, at(b)));
  };
  const ComesBefore asked = [](const void* list, std::size_t a, std::size_t b) {
    return (*static_cast<const decltype(before)*>(list))(a, b);
  };
  std::vector<std::uint32_t> from = positions_in_order(std::ranges::size(range), asked, &before);
  // Each cycle of the permutation: its first element is held until the last place is free.
  for (std::size_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    auto held = std::move(at(start));
    std::size_t place = start;
    for (std::size_t next = from[start]; next != start; next = from[place]) {
      at(place) = std::move(at(next));
      from[place] = static_cast<std::uint32_t>(place);
      place = next;
    }
    at(place) = std::move(held);
    from[place] = static_cast<std::uint32_t>(place);
  }
}

}  // namespace gpuplan
