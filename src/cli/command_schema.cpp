// gpuplan schema: every key of the job file, as JSON Schema, as documentation, or one key explained.
#include "cli/commands.h"
#include "cli/deliver.h"
#include "input/job_schema.h"

namespace gpuplan::cli {

int run_schema(const SchemaOptions& options) {
  if (!options.key.empty()) {
    const auto text = describe_key(options.key);
    if (!text) return complain(text.error());
    return deliver(*text, "", kDone);
  }
  return deliver(options.markdown ? job_keys_markdown() : job_schema_json(), "", kDone);
}

}  // namespace gpuplan::cli
