// Units of hand-made plans: behind a number, behind a price, and in the heads of columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

struct ClaimUnit {
  std::string_view name;
  ClaimDimension dimension;
  double factor;  ///< base units in one of it
  bool per_gpu = false;
};

/// "/hour" behind money.
struct PricePer {
  std::string_view name;
  double hours;  ///< that the price is for
  bool per_gpu;
  bool per_node = false;
};

/// What the head of a column says of bare numbers below it: "Time (h)".
struct UnitHint {
  ClaimDimension dimension = ClaimDimension::kBare;
  double unit = 1;
  bool per_gpu = false;
  bool per_node = false;
};

constexpr bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// The unit, or what a price is for, at the beginning of a text; nullptr: none that is known.
const ClaimUnit* unit_at(std::string_view text);
const PricePer* price_per_at(std::string_view text);
/// Whether what follows a number (and its unit, if that is known) makes of it what is not known here: "TFLOP/s", a
/// month, "per million". Words of a language ("4 seeds", "2 accumulation") name what is counted.
bool odd_unit_at(std::string_view text, bool behind_unit);

/// Of all columns of a table: "total" means money where another column has prices.
std::vector<UnitHint> hints_of(std::span<const std::string> heads);

}  // namespace gpuplan
