// Logs of one run, read to their end.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "api/runs/check.h"
#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

/// All that is in the files now; what still is written (a pipe) until it ends, or until `stop` is set.
Result<RunLog> read_logs(System& system, const std::vector<std::string>& names, const std::vector<LogMetric>& metrics,
                         const volatile std::sig_atomic_t* stop, const LogReading& reading = {});

/// As messages call them.
std::vector<std::string> shown_names(const std::vector<std::string>& names);

}  // namespace gpuplan::cli
