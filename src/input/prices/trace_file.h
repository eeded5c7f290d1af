// Availability traces of spot machines, and lists of the ticks at which replays start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spot/trace.h"

namespace gpuplan {

/// Largest trace that is read.
inline constexpr std::size_t kMaxTraceBytes = std::size_t{32} << 20;

/// A trace in one of three forms, told apart by what stands in the text:
///  - JSON, as the public traces of Wu et al. (NSDI 2024) have it: {"metadata": {"gap_seconds": 600}, "data": [1, 0]};
///  - CSV with a column `available` and a column `gap_seconds`, which only the first row needs to fill;
///  - CSV with a column `available` and a column `time`, in seconds, rising by the same step from row to row.
/// Each value is the number of machines that were there during one tick. Errors name file and line.
Result<Trace> read_trace(std::string_view text, const std::string& file);

/// A replay of the trace of this name, "" for every trace, from this tick on.
struct TraceStart {
  std::string trace;
  int tick = 0;
  int line = 0;   ///< of the file
  Seconds gap{};  ///< of the trace that the list was made for; 0: not said
};

/// A CSV file with a column `start_tick` and, where there are several traces, their names in a column `trace` or
/// `zone_device`; `gap_seconds` is compared with the trace's own. Other columns are passed over.
Result<std::vector<TraceStart>> read_starts(std::string_view text, const std::string& file);

}  // namespace gpuplan
