// Job files and kept plans as texts.
#pragma once

#include <string>

#include "api/questions/prices.h"
#include "api/runs/choose_plan.h"
#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

/// The text of a job file or of a kept plan; `file` is a path or "-".
Result<api::NamedText> read_job_text(System& system, const std::string& file);

/// What --plan says: a file of a kept plan ("plan.json", "-"), which is read, or an id.
Result<api::AskedPlan> read_asked_plan(System& system, const std::string& word);

/// True for what is a job file rather than a model: "-", and files whose text is a map with phases.
bool looks_like_job(System& system, const std::string& name);

}  // namespace gpuplan::cli
