// gpuplan gpus [FILTER]: the hardware known.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/facts/gpus_report.h"

namespace gpuplan::cli {
namespace {

struct GpusArguments {
  Common common;
  std::vector<std::string> filter;
  bool all = false;
};

int run_gpus(System& system, const GpusArguments& options) {
  const Common& common = options.common;
  const auto catalogue = load_catalogue(system, common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const auto report = select_gpus(*catalogue, options.filter);
  if (!report) return complain(system, report.error());
  return deliver_form(
      system, common, report->rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) { return gpus_text(*report, screen, options.all); }, [&] { return gpus_json(*report); },
      [&] { return gpus_csv(*report); });
}

}  // namespace

CommandSpec gpus_command() {
  auto options = std::make_shared<GpusArguments>();
  CommandSpec command{.name = "gpus",
                      .group = Group::kFacts,
                      .summary = "list GPUs: memory, bandwidth, TFLOP/s, interconnect",
                      .examples =
                          "  gpuplan gpus\n"
                          "  gpuplan gpus \"memory>=40\" \"vendor=amd\"\n"
                          "  gpuplan gpus H100 --json\n"};
  command.words = {{.names = "filter",
                    .target = &options->filter,
                    .help = "words of the name, or conditions such as memory>=40",
                    .value = "FILTER...",
                    .completes = Completes::kGpus}};
  add_all_flag(command, options->all, "list every row");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_gpus>(command, options);
  return command;
}

}  // namespace gpuplan::cli
