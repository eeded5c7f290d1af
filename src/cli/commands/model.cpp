// gpuplan model [NAME|PATH]: shape, parameters and bytes of one network, or a list of all.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "input/models/model_source.h"
#include "output/facts/model_report.h"
#include "output/facts/models_report.h"

namespace gpuplan::cli {
namespace {

struct ModelArguments {
  Common common;
  std::string model;
};

int run_model(System& system, const ModelArguments& options) {
  const Common& common = options.common;
  const auto catalogue = load_catalogue(system, common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  if (options.model.empty())
    return deliver_form(
        system, common, kDone, [&](const Screen& screen) { return models_text(*catalogue, screen); },
        [&] { return models_json(*catalogue); }, [&] { return models_csv(*catalogue); });
  const auto found = find_model(*catalogue, options.model, "");
  if (!found) return complain(system, found.error());

  ModelReport report = describe_model(found->shape, *catalogue, called(*catalogue, options.model, found->shape));
  report.source = found->source;
  report.notes = found->notes;
  return deliver_form(
      system, common, kDone, [&](const Screen& screen) { return model_text(report, screen); },
      [&] { return model_json(report); }, [&] { return model_csv(report); });
}

}  // namespace

CommandSpec model_command() {
  auto options = std::make_shared<ModelArguments>();
  CommandSpec command{.name = "model",
                      .group = Group::kFacts,
                      .summary = "show a model's architecture, size and KV cache per token",
                      .examples =
                          "  gpuplan model  # lists all\n"
                          "  gpuplan model Llama-3.1-8B\n"
                          "  gpuplan model ./my-model/config.json\n"
                          "  gpuplan model weights.gguf --json\n"};
  command.words = {
      {.names = "model",
       .target = &options->model,
       .help = "model name, config.json, folder, .safetensors or .gguf; without one, all known models are listed",
       .value = "NAME|PATH",
       .completes = Completes::kModels}};
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_model>(command, options);
  return command;
}

}  // namespace gpuplan::cli
