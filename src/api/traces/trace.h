// What a profiler's trace says, alone or held against a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/runs/check.h"
#include "evidence/check/trace_check.h"
#include "evidence/log/gpu_trace.h"
#include "output/runs/trace_report.h"

namespace gpuplan::api {

/// Whether a file that begins so is the trace of a profiler.
bool is_trace(std::string_view bytes);

struct TraceAnswer {
  GpuTrace trace;
  TraceShares shares;
  std::string file;  ///< as messages call it
  std::optional<Expectation> expected{};
  std::optional<TraceCheck> check{};
  std::vector<std::string> notes{};

  /// Refers to the answer.
  TraceReport report() const {
    return {trace, shares, file, expected ? &*expected : nullptr, check ? &*check : nullptr, notes};
  }
};

TraceAnswer answer_trace(GpuTrace trace, std::string file);
/// REQUIRES: something fits. Fails where no phase of the plan trains.
Result<TraceAnswer> answer_trace(const CheckQuestion& question, GpuTrace trace, std::string file);

/// The whole trace as a text.
Result<GpuTrace> read_trace_text(const NamedText& text);

}  // namespace gpuplan::api
