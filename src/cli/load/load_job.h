// Job files and kept plans as texts.
#pragma once

#include <string>

#include "api/questions/prices.h"
#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

/// The text of a job file or of a kept plan; `file` is a path or "-".
Result<api::NamedText> read_job_text(System& system, const std::string& file);

/// True for what is a job file rather than a model: "-", and files whose text is a map with phases.
bool looks_like_job(System& system, const std::string& name);

}  // namespace gpuplan::cli
