// Traces and lists of starts of any bytes: an answer or an error, never a crash; what is accepted can be replayed.
// seeds: fuzz/seeds/trace.json fuzz/seeds/trace.csv fuzz/seeds/trace-times.csv fuzz/seeds/starts.csv
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "input/prices/trace_file.h"
#include "one_line.h"
#include "spot/policies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto starts = read_starts(text, "starts.csv"); !starts) check_error(starts.error());
  else if (starts->empty() || starts->front().tick < 0) std::abort();

  const auto trace = read_trace(text, "trace.json");
  if (!trace) {
    check_error(trace.error());
    return 0;
  }
  if (trace->machines.empty() || !(trace->gap > Seconds{})) std::abort();
  const TraceRuns runs = runs_of(*trace);
  const TraceStatistics facts = statistics(runs);
  if (!(facts.available >= 0 && facts.available <= 1)) std::abort();
  SpotTask task;
  task.pieces = {{.work = trace->gap * 10}};
  task.restart = task.first_start = trace->gap * 0.5;
  task.deadline = trace->gap * 15;
  for (const auto& entry : Names<SpotPolicy>::entries) {
    const SpotOutcome outcome = replay(task, entry.value, runs, runs.ticks() / 2);
    if (needs_deadline(entry.value) && !outcome.in_time) std::abort();
  }
  return 0;
}
