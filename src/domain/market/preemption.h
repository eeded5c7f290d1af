// How often machines that can be taken away are taken away, as people and providers say it.
#pragma once

#include "base/names.h"
#include "base/units.h"

namespace gpuplan {

/// Bands of the AWS Spot Instance Advisor: the share of instances that AWS took back in the trailing month. No rate an
/// hour: spot/bands.h says what it can mean.
enum class SpotBand { kBelow5, k5To10, k10To15, k15To20, kAbove20 };
template <>
struct Names<SpotBand> {
  static constexpr std::array entries = {
      Named<SpotBand>{SpotBand::kBelow5, "<5%"},    Named<SpotBand>{SpotBand::k5To10, "5-10%"},
      Named<SpotBand>{SpotBand::k10To15, "10-15%"}, Named<SpotBand>{SpotBand::k15To20, "15-20%"},
      Named<SpotBand>{SpotBand::kAbove20, ">20%"},
  };
};

/// Machines that live a day at most: many are taken early, few in the middle, the rest towards the end (Kadupitiya,
/// Jadhao and Sharma, HPDC 2020). Chance to be gone at age t: share (1 - exp(-t/early) + exp((t - bend)/late)); who is
/// left at `cap` is taken then. The values are in the middle of what the paper says is typical: share 0.4 to 0.5,
/// early 0.5 to 5 h, late 0.8 h, bend and cap 24 h.
struct Bathtub {
  double share = 0.45;
  Seconds early{5700};  // 1.58 h, the geometric mean of 0.5 and 5 h
  Seconds late{2880};
  Seconds bend{86400};
  Seconds cap{86400};

  constexpr bool operator==(const Bathtub&) const = default;
};

}  // namespace gpuplan
