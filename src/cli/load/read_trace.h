// Profilers' traces, read from files.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "evidence/log/gpu_trace.h"

namespace gpuplan::cli {

/// Whether the file is a trace, by its first bytes. What cannot be read twice is none.
bool is_trace_file(System& system, const std::string& name);

/// REQUIRES: is_trace_file(). Errors name the file.
Result<GpuTrace> read_trace_file(System& system, const std::string& name);

}  // namespace gpuplan::cli
