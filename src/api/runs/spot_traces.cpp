#include "api/runs/spot_traces.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/prices/trace_file.h"
#include "output/words/plan_words.h"

namespace gpuplan::api {
namespace {

Result<SimulatedTrace> read_one(const TraceText& text, int machines) {
  const auto trace = read_trace(text.file.text, text.file.name);
  if (!trace) return std::unexpected(trace.error());
  const int most = *std::ranges::max_element(trace->machines);
  if (machines > 1 && most < machines)
    return failure(
        "has " + count_of(most, "machine") + " at most, and the job needs " + std::to_string(machines) + " at once",
        {text.file.name});
  return SimulatedTrace{text.name, runs_of(*trace, machines), {}};
}

Result<void> take_starts(const NamedText& file, std::vector<SimulatedTrace>& traces) {
  const auto starts = read_starts(file.text, file.name);
  if (!starts) return std::unexpected(starts.error());
  for (const TraceStart& start : *starts) {
    for (SimulatedTrace& trace : traces) {
      if (!start.trace.empty() && start.trace != trace.name) continue;
      const Place place{file.name, start.line, 0};
      if (start.tick >= trace.runs.ticks())
        return failure("start_tick " + std::to_string(start.tick) + " is behind the end of " +
                           printable(trace.name, 60) + ", which has " + std::to_string(trace.runs.ticks()) + " ticks",
                       place);
      if (start.gap > Seconds{} && start.gap != trace.runs.gap)
        return failure("gap_seconds " + number_text(start.gap.value) + " is not that of " + printable(trace.name, 60) +
                           ", " + number_text(trace.runs.gap.value),
                       place);
      trace.starts.push_back(start.tick);
    }
  }
  for (const SimulatedTrace& trace : traces)
    if (trace.starts.empty()) return failure("has no start for the trace " + printable(trace.name, 60), {file.name});
  return {};
}

}  // namespace

std::string trace_name(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return name.substr(0, dot == 0 ? std::string::npos : dot);
}

Result<std::vector<SimulatedTrace>> read_traces(const SpotTexts& texts, int machines) {
  std::vector<SimulatedTrace> traces;
  for (const TraceText& text : texts.traces) {
    auto trace = read_one(text, machines);
    if (!trace) return std::unexpected(trace.error());
    traces.push_back(*std::move(trace));
  }
  if (!texts.starts) return traces;
  if (traces.empty()) return wrong_use("--starts: says where replays of traces begin; add --trace FILE");
  if (const auto taken = take_starts(*texts.starts, traces); !taken) return std::unexpected(taken.error());
  return traces;
}

}  // namespace gpuplan::api
