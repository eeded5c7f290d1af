// Time that is paid for.
#pragma once

#include <algorithm>
#include <cmath>

#include "domain/market/offer.h"

namespace gpuplan {

/// Of machines that are held so long at one time: whole increments or terms, never less than the minimum.
inline Seconds billed_seconds(Seconds held, const Billing& billing) {  // hot: each bill asks for all its samples
  if (held <= Seconds{}) return {};
  const Seconds at_least = std::max({held, billing.minimum, billing.term});
  const Seconds increment = std::max(billing.increment, billing.term);
  if (increment <= Seconds{}) return at_least;
  // Small tolerance: 3600.0000001 s is an hour, not an hour and a minute.
  return std::ceil(at_least / increment - 1e-9) * increment;
}

/// Whether it matters how often machines are taken: by the second every time is as good as another.
inline bool billed_in_blocks(const Billing& billing) {
  return std::max({billing.minimum, billing.increment, billing.term}) > units::second;
}

}  // namespace gpuplan
