// What the bands of the AWS Spot Instance Advisor can mean as a rate of interruptions.
#pragma once

#include "base/interval.h"
#include "base/units.h"
#include "domain/market/preemption.h"

namespace gpuplan {

/// Rate of a machine whose kind is in this band, with how little the band says about it. AWS: "the rate at which Spot
/// has reclaimed capacity during the trailing month"; of how many machine-hours is not said.
///
/// p10: every machine ran the whole month, so a share b of them taken is -ln(1 - b) in 730 h, at the lower edge of the
/// band. p90: machines run 8 h on average (an assumption) unless they are taken; where lives end at rate m by
/// themselves and at rate r by AWS, the share taken is b = r / (r + m), so r = m b / (1 - b), at the upper edge. "<5%"
/// has no lower edge and ">20%" no upper one: 1 % and 90 % are assumed.
Interval<PerSecond> rate_of(SpotBand band);

/// Edges of a band as shares, the assumed ones included.
struct BandEdges {
  double low = 0, high = 0;
};
BandEdges edges_of(SpotBand band);

}  // namespace gpuplan
