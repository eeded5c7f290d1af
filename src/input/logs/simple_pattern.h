// Regular expressions of the kind that people write for a number in a log: characters, classes, repetitions and one
// group. RE2 finds the same, and takes several times as long for it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gpuplan {

class SimplePattern {
 public:
  /// nullopt: alternatives, groups in groups, lazy repetitions, places, flags, more than ASCII, ...
  static std::optional<SimplePattern> read(std::string_view pattern);

  enum class Found : std::uint8_t { kYes, kNo, kUndecided };
  /// Whether it matches at the front of the text, greedily as RE2 does, and what its group holds then. Undecided are
  /// texts that come to more than ASCII, in which RE2 counts characters and this counts bytes, and those that take
  /// long.
  Found match(std::string_view text, std::string_view& group) const;

 private:
  using Set = std::array<std::uint64_t, 2>;  ///< ASCII characters by their bits
  struct Item {
    Set set{};
    std::size_t least = 1, most = 1;
  };
  bool take_item(std::string_view& rest);
  bool match_from(std::size_t item, std::size_t at, std::string_view text, std::array<std::size_t, 2>& group,
                  int& left) const;

  std::vector<Item> items_;
  std::size_t begin_ = 0, end_ = 0;  ///< items of the group
};

}  // namespace gpuplan
