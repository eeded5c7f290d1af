#include "spot/expected_loss.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace gpuplan {

Seconds checkpoint_interval(const Interruptible& how, Seconds work) {
  const double mean_between = 1 / how.rate.value;
  const Seconds young{std::sqrt(2 * how.checkpoint.value * mean_between)};
  // A checkpoint that costs nothing may be taken all the time; a second between them keeps the formula finite.
  const Seconds daly = std::max(young - how.checkpoint, Seconds{1});
  return std::min(daly, work);
}

ExpectedRun expected_run(const Interruptible& how, Seconds work, Seconds interval) {
  if (how.rate <= PerSecond{} || work <= Seconds{}) return {work, work, 0};
  const double r = how.rate.value;
  const double pieces = work / interval;
  const double wall =
      math::exp(r * how.restart.value) * math::expm1(r * (interval + how.checkpoint).value) / r * pieces;
  return {Seconds{wall}, interval, r * wall};
}

}  // namespace gpuplan
