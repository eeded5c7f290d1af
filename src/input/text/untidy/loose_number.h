// Numbers as spreadsheets of many countries write them: 1,234.56 and 1.234,56 and 1'234.56 and 1 234,56.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gpuplan {

struct LooseNumber {
  double value = 0;
  std::size_t length = 0;  ///< bytes of it
  bool two_ways = false;   ///< 1,234 where nothing told before which sign ends whole numbers: the value is a guess
};

/// Reads the numbers of one table; each that can be read in one way only tells how to read those that follow.
class LooseNumbers {
 public:
  /// The number at the beginning of a text; empty: there is none.
  std::optional<LooseNumber> read(std::string_view text);

 private:
  char decimal_ = 0;  ///< sign before the fraction; 0: not known
};

}  // namespace gpuplan
