// Billing in blocks of time, as the choice of machines sees it.
#pragma once

#include <algorithm>
#include <cmath>

#include "domain/market/offer.h"

namespace gpuplan {

/// Blocks that time is billed in, in seconds; 0: billing by the second is continuous, as the fraction of a second that
/// it rounds up decides nothing.
inline double increment_of(const Billing& billing) {
  const double increment = std::max(billing.increment.value, billing.term.value);
  return increment <= 1 ? 0 : increment;
}

/// Seconds paid for at least, each time that machines are taken.
inline double least_of(const Billing& billing) { return std::max(billing.minimum.value, billing.term.value); }

inline double rounded_up(double seconds, double increment) {
  return increment > 0 ? std::ceil(seconds / increment - 1e-9) * increment : seconds;
}

/// Seconds paid for machines that are held so long.
inline double paid_for(const Billing& billing, double seconds) {
  return rounded_up(std::max(seconds, least_of(billing)), increment_of(billing));
}

}  // namespace gpuplan
