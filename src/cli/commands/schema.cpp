// gpuplan schema: every key of the job file, as JSON Schema, as documentation, or one key explained.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "input/job/schema.h"

namespace gpuplan::cli {
namespace {

struct SchemaArguments {
  bool markdown = false;
  std::string key;  ///< describe this address only
};

int run_schema(System& system, const SchemaArguments& options) {
  if (!options.key.empty()) {
    const auto text = describe_key(options.key);
    if (!text) return complain(system, text.error());
    return deliver(system, *text, "", kDone);
  }
  return deliver(system, options.markdown ? job_keys_markdown() : job_schema_json(), "", kDone);
}

}  // namespace

CommandSpec schema_command() {
  auto options = std::make_shared<SchemaArguments>();
  CommandSpec command{.name = "schema",
                      .group = Group::kTools,
                      .summary = "document the job file: JSON Schema, or one key",
                      .examples =
                          "  gpuplan schema > job.schema.json\n"
                          "  gpuplan schema limits.deadline\n"
                          "  gpuplan schema --markdown\n"};
  command.words = {
      {.names = "key", .target = &options->key, .help = "address of a key, such as limits.deadline", .value = "KEY"}};
  command.options = {
      {.names = "--markdown", .target = &options->markdown, .help = "print the documentation of all keys"}};
  set_run<run_schema>(command, options);
  return command;
}

}  // namespace gpuplan::cli
