// gpuplan gpus [FILTER]: the hardware known.
#include <memory>

#include "api/questions/offers.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/job_options.h"
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

int show_gpus(System& system, const GpusArguments& options, const GpusReport& report) {
  return deliver_form(
      system, options.common, report.rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) { return gpus_text(report, screen, options.all); }, [&] { return gpus_json(report); },
      [&] { return gpus_csv(report); });
}

/// GPUs, and which machines have so many of them at what price.
int show_machines(System& system, const GpusArguments& options, const Catalogue& catalogue) {
  const auto request = read_market(system, {{}, {}, {}, false}, catalogue);
  if (!request) return complain(system, request.error());
  const Form form = form_of(options.common);
  const bool few = !options.all && (form == Form::kText || form == Form::kMarkdown);
  const auto answer = api::ask_machines(*request, options.filter, options.all, few ? kOffersShown : 0, catalogue);
  if (!answer) return complain(system, answer.error());
  if (!answer->offers) return show_gpus(system, options, answer->gpus);
  for (const std::string& warning : answer->offers->warnings) say(system, "gpuplan: " + warning);
  const OffersReport& offers = answer->offers->report;
  return deliver_form(
      system, options.common, offers.rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) {
        if (offers.rows.empty()) return no_offer_text(offers);
        return gpus_text(answer->gpus, screen, false) + '\n' + offers_text(offers, screen, options.all);
      },
      [&] { return gpus_json(answer->gpus, &offers); }, [&] { return offers_csv(offers); });
}

int run_gpus(System& system, const GpusArguments& options) {
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  if (api::asks_for_machines(options.filter)) return show_machines(system, options, *catalogue);
  const auto report = select_gpus(*catalogue, options.filter);
  if (!report) return complain(system, report.error());
  return show_gpus(system, options, *report);
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
                          "  gpuplan gpus H100:8\n"
                          "  gpuplan gpus 'gpu_name=H100_SXM num_gpus>=8 dph<30'\n"
                          "  gpuplan gpus H100 --json\n"};
  command.words = {
      {.names = "filter",
       .target = &options->filter,
       .help = "words of the name, conditions such as memory>=40; with machines and prices: H100:8, dph<30",
       .value = "FILTER...",
       .completes = Completes::kGpus}};
  add_all_flag(command, options->all, "list every row");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_gpus>(command, options);
  return command;
}

}  // namespace gpuplan::cli
