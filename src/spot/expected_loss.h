// Time that interruptions are expected to cost, in closed form.
#pragma once

#include "base/units.h"

namespace gpuplan {

/// Checkpoints and restarts of work that can be interrupted.
struct Interruptible {
  PerSecond rate{};      ///< interruptions a second while running, all machines together
  Seconds checkpoint{};  ///< time to write one checkpoint
  Seconds restart{};     ///< from interruption to running again
};

struct ExpectedRun {
  Seconds wall{};            ///< expected time from start to end
  Seconds interval{};        ///< work between checkpoints
  double interruptions = 0;  ///< expected number
};

/// Interval that loses least, to first order: sqrt(2 c / rate) (Young 1974), shortened by the checkpoint itself (Daly
/// 2006, eq. 37), never longer than the work. REQUIRES: rate > 0.
Seconds checkpoint_interval(const Interruptible& how, Seconds work);

/// Expected wall time of `work` under exponentially distributed interruptions, with checkpoints every `interval`:
/// (1/r) e^(rR) (e^(r(t+c)) - 1) W/t (Daly 2006, eq. 13). Without interruptions it is the work itself.
ExpectedRun expected_run(const Interruptible& how, Seconds work, Seconds interval);

}  // namespace gpuplan
