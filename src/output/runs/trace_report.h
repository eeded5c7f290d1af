// `gpuplan check TRACE`: what GPUs did in a profiler's trace.
#pragma once

#include <string>

#include "evidence/log/gpu_trace.h"
#include "output/text/style.h"

namespace gpuplan {

/// Refers to parts that must outlive it.
struct TraceReport {
  const GpuTrace& trace;
  const TraceShares& shares;
  std::string file;
};

std::string trace_text(const TraceReport& report, const Screen& screen);
std::string trace_csv(const TraceReport& report);
std::string trace_json(const TraceReport& report);  ///< "gpuplan/trace@1"

}  // namespace gpuplan
