// Hashes of names that are one whatever the case of their letters.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuplan {

inline constexpr std::uint64_t kHashSeed = 0xcbf29ce484222325ULL;

/// FNV-1a (64 bits) of the text in small letters and an end, so that of several texts one after the other it matters
/// where each ends.
constexpr std::uint64_t folded_hash(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    const auto small = static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    hash = (hash ^ small) * 0x100000001b3ULL;
  }
  return (hash ^ 0xFFU) * 0x100000001b3ULL;  // no letter of any text
}

}  // namespace gpuplan
