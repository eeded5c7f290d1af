// Most text goes through an escape as it is: how much of it may be copied at once.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gpuplan {

/// A set of bytes.
class SignSet {
 public:
  /// Printable ASCII and `also`, without `not_these`.
  static constexpr SignSet printable_ascii(std::string_view not_these, std::string_view also = "") {
    SignSet set;
    for (std::size_t byte = ' '; byte <= '~'; ++byte) set.holds_[byte] = true;
    set.mark(also, true);
    set.mark(not_these, false);
    return set;
  }
  static constexpr SignSet all_but(std::string_view these) {
    SignSet set;
    set.holds_.fill(true);
    set.mark(these, false);
    return set;
  }

  /// Length of the longest run of these bytes from `at` on.
  [[nodiscard]] constexpr std::size_t run(std::string_view text, std::size_t at) const {
    std::size_t end = at;
    while (end < text.size() && holds_[static_cast<unsigned char>(text[end])]) ++end;
    return end - at;
  }

 private:
  constexpr void mark(std::string_view signs, bool in) {
    for (const char sign : signs) holds_[static_cast<unsigned char>(sign)] = in;
  }
  std::array<bool, 256> holds_{};
};

}  // namespace gpuplan
