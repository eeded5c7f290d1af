// Prices and other figures as people write them into cells.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "input/feeds/formats/own_tax.h"
#include "input/text/untidy/loose_number.h"

namespace gpuplan {

struct OwnPrice {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< none is asked
  std::string currency{};                                   ///< empty: not said
  double hours = 0;                                         ///< that it pays for; 0: not said
  bool per_gpu = false;
  bool cents = false;          ///< that it was written in; the value is whole already
  bool range = false;          ///< of two; the value is the middle between them
  OwnTax tax{};                ///< that is said to be in it
  bool from = false;           ///< "from 0.9", the least that is asked
  std::string_view problem{};  ///< why it can not be read; empty: it can
};

/// "$2.49/h incl. 19% VAT", "2,49 €", "USD 1.234,56 / month", "20-24", "n/a", "sold out".
OwnPrice read_own_price(std::string_view cell, LooseNumbers& numbers);

/// A figure with a unit behind it that is passed over or, for TB and MB, undone: 64 of "64 GB", 8 of "8x", 2048 of "2
/// TB"; `low_end`: also 24 of "24-30". Not a number for an empty cell; `known` false where there is no figure.
double read_own_number(std::string_view cell, LooseNumbers& numbers, bool low_end, bool& known);

/// A cell in lower case that says that nothing is there: "n/a", "-", "sold out", "contact sales".
bool says_none(std::string_view lower);

}  // namespace gpuplan
