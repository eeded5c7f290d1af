// Billing in blocks of time, as the choice of machines sees it.
#pragma once

#include <algorithm>
#include <cmath>

#include "domain/market/offer.h"

namespace gpuplan {

/// Blocks that time is billed in; 0: billing by the second is continuous, as the fraction of a second that
/// it rounds up decides nothing.
inline Seconds increment_of(const Billing& billing) {
  const Seconds increment = std::max(billing.increment, billing.term);
  return increment <= units::second ? Seconds{} : increment;
}

/// What is paid for at least, each time that machines are taken.
inline Seconds least_of(const Billing& billing) { return std::max(billing.minimum, billing.term); }

inline Seconds rounded_up(Seconds time, Seconds increment) {
  return increment > Seconds{} ? std::ceil(time / increment - 1e-9) * increment : time;
}

/// Time paid for machines that are held so long.
inline Seconds paid_for(const Billing& billing, Seconds held) {
  return rounded_up(std::max(held, least_of(billing)), increment_of(billing));
}

}  // namespace gpuplan
