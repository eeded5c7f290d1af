// What the declaration of the job file says, for people and for editors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan {

/// JSON Schema (draft 2020-12) of the job file, for editors that complete and check YAML.
std::string job_schema_json();

/// docs/job-file.md: how values are written, and every key with its value, default and meaning.
std::string job_keys_markdown();

/// A few lines on one key, given by its address without names or positions ("phases.train.epochs", "limits.deadline");
/// "" describes the top level. A usage error with near misses for an address that does not exist.
Result<std::string> describe_key(std::string_view address);

}  // namespace gpuplan
