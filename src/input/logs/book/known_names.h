// Finds names of a list that is known when the program is compiled, without comparing with more than one or two.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpuplan {

/// REQUIRES: entries with a `name`, none of them empty, all different.
template <class Entry, std::size_t N>
class KnownNames {
 public:
  constexpr explicit KnownNames(const std::array<Entry, N>& entries) : entries_(entries) {
    for (std::size_t i = 0; i < N; ++i) {
      std::size_t at = slot(entries_[i].name);
      while (slots_[at] != 0) at = (at + 1) % kSlots;
      slots_[at] = static_cast<std::uint16_t>(i + 1);
    }
  }
  /// Null: there is none of that name.
  constexpr const Entry* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    for (std::size_t at = slot(name); slots_[at] != 0; at = (at + 1) % kSlots)
      if (const Entry& entry = entries_[slots_[at] - 1U]; entry.name == name) return &entry;
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(8 * N);
  /// Of its length and five of its letters.
  static constexpr std::size_t slot(std::string_view name) {
    std::uint32_t hash = static_cast<std::uint32_t>(name.size());
    const std::size_t last = name.size() - 1;
    for (const std::size_t at : {std::size_t{0}, last / 4, last / 2, 3 * last / 4, last})
      hash = (hash ^ static_cast<unsigned char>(name[at])) * 0x9E3779B1U;
    return (hash >> 15U) % kSlots;
  }

  std::array<Entry, N> entries_;
  std::array<std::uint16_t, kSlots> slots_{};
};

}  // namespace gpuplan
