// `gpuplan check TRACE`: what GPUs did in a profiler's trace.
#pragma once

#include <string>
#include <vector>

#include "evidence/check/expectation.h"
#include "evidence/check/trace_check.h"
#include "evidence/log/gpu_trace.h"
#include "output/text/style.h"

namespace gpuplan {

/// Refers to parts that must outlive it.
struct TraceReport {
  const GpuTrace& trace;
  const TraceShares& shares;
  std::string file;
  // Where a job was given: what is expected of its phase, the comparison, and how phase and plan were chosen.
  const Expectation* expected = nullptr;
  const TraceCheck* check = nullptr;
  std::vector<std::string> notes{};
};

std::string trace_text(const TraceReport& report, const Screen& screen);
std::string trace_csv(const TraceReport& report);
std::string trace_json(const TraceReport& report);  ///< "gpuplan/trace@1"

}  // namespace gpuplan
