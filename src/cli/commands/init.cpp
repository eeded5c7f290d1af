// gpuplan init: a question in flags as a commented job file.
#include <memory>

#include "api/questions/question.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "cli/options/sketch_options.h"
#include "input/models/model_source.h"
#include "input/question/sketch.h"

namespace gpuplan::cli {
namespace {

struct InitArguments {
  Sketch sketch;
  Wishes wishes;
  std::string output;  ///< empty: stdout
  std::string data_folder;
  bool force = false;
};

/// Paths in a job file start at its folder, those of the command line here: what differs becomes absolute.
std::string seen_from(System& system, const std::string& output, const std::string& model) {
  if (output.find('/') == std::string::npos || model.starts_with('/') || model.starts_with('~')) return model;
  const std::string path = system.real_path(model);
  return path.empty() ? model : path;
}

int run_init(System& system, const InitArguments& options) {
  if (first_flag(options.sketch).empty()) {
    Error error = api::no_question();
    error.message = "no job described. Example: gpuplan init --model Qwen2.5-7B --tokens 10M --method lora -o job.yaml";
    return complain(system, error);
  }
  if (!options.force && system.facts_of(options.output).is_file())
    return complain(system, wrong_use("-o: " + printable(options.output) + " already exists (--force to overwrite)"));
  const auto catalogue = load_catalogue(system, options.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const ModelFinder models(*catalogue);
  auto sketched = sketch_job(options.sketch, options.wishes, models);
  if (sketched && !options.sketch.model.empty() && catalogue->find_model(options.sketch.model) == nullptr) {
    Sketch moved = options.sketch;
    moved.model = seen_from(system, options.output, moved.model);
    sketched = sketch_job(moved, options.wishes, models);
  }
  if (!sketched) return complain(system, sketched.error());
  // What it writes must be a job: values that only reading finds wrong are told now, by their flags.
  const auto source = read_sketch(*sketched);
  if (!source) return complain(system, source.error());
  if (const auto job = read_job(*source, *catalogue, models); !job) return complain(system, job.error());
  const int code = deliver(system, sketched->text, options.output, kDone);
  if (code == kDone && !options.output.empty() && options.output != "-")
    say(system, "gpuplan: wrote " + printable(options.output) + "; next: gpuplan plan " + shell_word(options.output));
  return code;
}

}  // namespace

CommandSpec init_command() {
  auto options = std::make_shared<InitArguments>();
  CommandSpec command{.name = "init",
                      .group = Group::kTools,
                      .summary = "turn command-line flags into a job file with comments",
                      .examples =
                          "  gpuplan init --model Qwen2.5-7B --tokens 10M --method lora -o job.yaml\n"
                          "  gpuplan init --model Llama-3.3-70B --generate --samples 10k --prompt 500 --new 300\n"
                          "  gpuplan init --params 25M --samples 2.5M --budget '$20' > job.yaml\n",
                      .notes =
                          "gpuplan plan gives the same answer for the file as for the flags. Every key has a "
                          "comment;\noptional keys are commented out.\n"};
  add_sketch_options(command, options->sketch);
  add_wish_options(command, options->wishes);
  command.options.push_back({.names = "-o,--output",
                             .target = &options->output,
                             .help = "job file to write (default: standard output)",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--force", .target = &options->force, .help = "overwrite an existing file"});
  add_data_option(command, options->data_folder);
  add_aliases(command);
  set_run<run_init>(command, options);
  return command;
}

}  // namespace gpuplan::cli
