// Any text as an amount of every kind: a finite figure, ranges in order, or one clear line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (int i = 0; i <= static_cast<int>(gpuplan::AmountKind::kPower); ++i) {
    const auto kind = static_cast<gpuplan::AmountKind>(i);
    const auto amount = gpuplan::parse_amount(text, kind);
    if (!amount) check_error(amount.error());
    if (amount && !std::isfinite(*amount)) __builtin_trap();
    const auto range = gpuplan::parse_interval(text, kind);
    if (!range) {
      check_error(range.error());
      if (amount) __builtin_trap();  // a single amount is a range of one
      continue;
    }
    if (!std::isfinite(range->p10) || !std::isfinite(range->p90)) __builtin_trap();
    if (!(range->p10 <= range->p50 && range->p50 <= range->p90)) __builtin_trap();
  }
  return 0;
}
