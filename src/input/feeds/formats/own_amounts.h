// Prices and dates as people write them into cells.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "input/text/untidy/loose_number.h"

namespace gpuplan {

struct OwnPrice {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< none is asked
  std::string currency{};                                   ///< empty: not said
  double hours = 0;                                         ///< that it pays for; 0: not said
  bool per_gpu = false;
  bool range = false;          ///< of two; the value is their geometric mean
  std::string_view problem{};  ///< why it can not be read; empty: it can
};

/// "$2.49/h", "2,49 €", "USD 1.234,56 / month", "20-24", "n/a", "sold out".
OwnPrice read_own_price(std::string_view cell, LooseNumbers& numbers);

/// A figure with a unit behind it that is passed over or, for TB and MB, undone: 64 of "64 GB", 8 of "8x", 2048 of "2
/// TB"; `low_end`: also 24 of "24-30". Not a number for an empty cell; `known` false where there is no figure.
double read_own_number(std::string_view cell, LooseNumbers& numbers, bool low_end, bool& known);

/// 2026-11-25 for that, "2026-11-25T10:00:00Z", "25.11.2026", "20261125", "25/11/2026"; others stay as they are, and of
/// two ways to read it (3/4/2026) nothing is left but "3/4/2026".
std::string read_own_date(std::string_view cell);

}  // namespace gpuplan
