// Which prices are taken for prices.
#pragma once

#include "base/interval.h"
#include "base/units.h"

namespace gpuplan {

/// Below a hundredth of a cent an hour nobody rents anything out: another unit was meant, or a digit slipped. It would
/// be shown as free and win every comparison. Zero says free and means it.
inline constexpr DollarsPerSecond kLeastPrice{1e-4 / 3600};

inline bool is_slip(const Interval<DollarsPerSecond>& price) {
  const auto slips = [](DollarsPerSecond p) { return p > DollarsPerSecond{} && p < kLeastPrice; };
  return slips(price.p10) || slips(price.p50) || slips(price.p90);
}

}  // namespace gpuplan
