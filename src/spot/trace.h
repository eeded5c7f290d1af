// Recorded availability of spot machines: how many there were at each tick, as runs of having enough and not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace gpuplan {

/// How many machines were there (or still ran) at ticks of equal length.
struct Trace {
  Seconds gap{};                       ///< length of a tick; above zero
  std::vector<std::int32_t> machines;  ///< at each tick; never empty

  Seconds length() const { return gap * static_cast<double>(machines.size()); }
};

/// A trace as alternating runs of ticks with enough machines for a job and without.
struct TraceRuns {
  Seconds gap{};
  bool first_up = false;             ///< whether the first run has enough machines; they alternate from there
  std::vector<std::int32_t> ends;    ///< tick after the last one of each run, rising
  std::vector<std::int32_t> run_of;  ///< run that each tick is in

  bool up(std::size_t run) const { return (run % 2 == 0) == first_up; }
  std::int32_t ticks() const { return ends.back(); }
};

/// All or nothing: a job on `machines` runs while at least so many are there. REQUIRES: a trace with ticks.
TraceRuns runs_of(const Trace& trace, int machines = 1);

/// What a trace says about machines that can be taken away. Runs cut off by the ends of the trace count as they are.
struct TraceStatistics {
  Seconds length{};
  double available = 0;  ///< share of the ticks with enough machines
  int up_runs = 0;
  int interruptions = 0;  ///< ends of an up run before the end of the trace
  Seconds mean_up{}, median_up{}, mean_down{}, longest_down{};
  PerSecond rate{};  ///< interruptions for each second that machines were there; 0: they never were, or never left
};
TraceStatistics statistics(const TraceRuns& runs);

}  // namespace gpuplan
