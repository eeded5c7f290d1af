// What a log says of the program and its layout, put into the run of the plan that it is kept beside: a row holds what
// ran.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/log/run_log.h"
#include "evidence/own/planned_run.h"

namespace gpuplan {

/// Changes the run where the log says otherwise, and tells what: "tensor parallel 4 instead of 1". Fails for a layout
/// that does not divide the GPUs and the batch.
Result<std::vector<std::string>> set_as_logged(const RunLog& log, const Catalogue& catalogue, AnyRun& run);

}  // namespace gpuplan
