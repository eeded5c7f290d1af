#include "spot/bands.h"

#include <cmath>

namespace gpuplan {

namespace {

constexpr Seconds kShortLife = 8 * units::hour;  // mean of machines that nobody takes

}  // namespace

BandEdges edges_of(SpotBand band) {
  switch (band) {
    case SpotBand::kBelow5:
      return {0.01, 0.05};
    case SpotBand::k5To10:
      return {0.05, 0.10};
    case SpotBand::k10To15:
      return {0.10, 0.15};
    case SpotBand::k15To20:
      return {0.15, 0.20};
    case SpotBand::kAbove20:
      break;
  }
  return {0.20, 0.90};
}

Interval<PerSecond> rate_of(SpotBand band) {
  const BandEdges share = edges_of(band);
  const PerSecond low = -math::log1p(-share.low) / units::month;
  const PerSecond high = share.high / (1 - share.high) / kShortLife;
  return {low, PerSecond{std::sqrt(low.value * high.value)}, high};
}

}  // namespace gpuplan
