#include "api/traces/trace.h"

#include <utility>

#include "input/traces/nsys_trace.h"
#include "input/traces/torch_trace.h"

namespace gpuplan::api {

bool is_trace(std::string_view bytes) { return TorchTrace::begins(bytes) || SqliteFile::begins(bytes); }

TraceAnswer answer_trace(GpuTrace trace, std::string file) {
  TraceAnswer answer{std::move(trace), {}, std::move(file)};
  answer.shares = shares_of(answer.trace);
  return answer;
}

Result<TraceAnswer> answer_trace(const CheckQuestion& question, GpuTrace trace, std::string file) {
  TraceAnswer answer = answer_trace(std::move(trace), std::move(file));
  auto step = question.planned_step(answer.trace, answer.notes);
  if (!step) return std::unexpected(std::move(step.error()));
  answer.expected = std::move(step->expected);
  answer.check = TraceCheck{.measured = measured_shares(answer.shares),
                            .planned = planned_shares(step->parts),
                            .step = answer.shares.step,
                            .expected = answer.expected->seconds_per_step};
  return answer;
}

Result<GpuTrace> read_trace_text(const NamedText& text) {
  const std::string_view bytes = text.text;
  Result<GpuTrace> trace = [&] {
    if (SqliteFile::begins(bytes)) {
      TextBytes placed(bytes);
      return read_nsys_trace(placed);
    }
    TorchTrace reader;
    reader.feed(bytes);
    return reader.finish();
  }();
  if (!trace) trace.error().place.file = text.name;
  return trace;
}

}  // namespace gpuplan::api
