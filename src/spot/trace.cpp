#include "spot/trace.h"

#include <algorithm>

namespace gpuplan {

TraceRuns runs_of(const Trace& trace, int machines) {
  TraceRuns runs;
  runs.gap = trace.gap;
  runs.first_up = trace.machines.front() >= machines;
  runs.run_of.reserve(trace.machines.size());
  bool up = runs.first_up;
  for (std::size_t tick = 0; tick < trace.machines.size(); ++tick) {
    if ((trace.machines[tick] >= machines) != up) {
      runs.ends.push_back(static_cast<std::int32_t>(tick));
      up = !up;
    }
    runs.run_of.push_back(static_cast<std::int32_t>(runs.ends.size()));
  }
  runs.ends.push_back(static_cast<std::int32_t>(trace.machines.size()));
  return runs;
}

namespace {

/// Mean of the middle one or two. REQUIRES: sorted.
double median(const std::vector<std::int32_t>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
}

}  // namespace

TraceStatistics statistics(const TraceRuns& runs) {
  TraceStatistics result;
  result.length = runs.gap * runs.ticks();
  std::vector<std::int32_t> up;
  double up_ticks = 0;
  double down_ticks = 0;
  std::int32_t longest_down = 0;
  std::int32_t begin = 0;
  for (std::size_t run = 0; run < runs.ends.size(); ++run) {
    const std::int32_t ticks = runs.ends[run] - begin;
    begin = runs.ends[run];
    if (runs.up(run)) {
      up.push_back(ticks);
      up_ticks += ticks;
      if (run + 1 < runs.ends.size()) ++result.interruptions;
    } else {
      down_ticks += ticks;
      longest_down = std::max(longest_down, ticks);
    }
  }
  std::ranges::sort(up);
  result.up_runs = static_cast<int>(up.size());
  const std::size_t down_runs = runs.ends.size() - up.size();
  result.available = up_ticks / runs.ticks();
  if (!up.empty()) result.mean_up = runs.gap * (up_ticks / static_cast<double>(up.size()));
  result.median_up = runs.gap * median(up);
  if (down_runs > 0) result.mean_down = runs.gap * (down_ticks / static_cast<double>(down_runs));
  result.longest_down = runs.gap * longest_down;
  if (up_ticks > 0) result.rate = result.interruptions / (runs.gap * up_ticks);
  return result;
}

}  // namespace gpuplan
