// gpuplan prices history GPU: what a GPU cost over time.
#include <algorithm>
#include <memory>

#include "api/questions/question.h"
#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/prices/open_store.h"
#include "cli/prices/prices_actions.h"
#include "input/text/gpu_name.h"
#include "output/prices/history_report.h"

namespace gpuplan::cli {
namespace {

struct HistoryArguments {
  Common common;
  StoreOptions store;
  std::string gpu, provider, since, svg;
  int gpus = 0;
  bool spot = false;
};

/// "H100" are all that are called so ("H100 SXM", "H100 PCIe"), "H100 SXM" is one.
Result<std::vector<std::string>> gpus_named(const std::string& word, const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Gpu& gpu : catalogue.gpus)
    if (iequals(gpu.name, word) || to_lower(gpu.name).starts_with(to_lower(word) + ' ')) names.push_back(gpu.name);
  if (const auto exact = std::ranges::find_if(names, [&](const std::string& name) { return iequals(name, word); });
      exact != names.end())
    return std::vector{*exact};
  if (!names.empty()) return names;
  const auto found = find_gpu(catalogue, word);
  if (found && found->gpu != nullptr) return std::vector{found->gpu->name};
  return wrong_use("unknown GPU '" + printable(word, 60) + "' (gpuplan gpus lists them)");
}

/// "H100 (NVL, SXM and PCIe)" of several that are called so.
std::string called(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> kinds;
  for (const std::string& name : names)
    if (name.size() > word.size() && iequals(name.substr(0, word.size()), word))
      kinds.emplace_back(trim(name.substr(word.size())));
  if (names.size() < 2 || kinds.size() < names.size()) return listed(names);
  return names.front().substr(0, word.size()) + " (" + listed(kinds) + ")";
}

std::string narrowed(const HistoryArguments& options) {
  std::string text = options.spot ? "spot" : "on demand";
  if (!options.provider.empty()) text += " at " + options.provider;
  if (options.gpus > 0) text += ", machines of " + std::to_string(options.gpus);
  return text;
}

int run_history(System& system, const HistoryArguments& options) {
  if (const auto good = api::check_date(options.since); !good)
    return complain(system, wrong_use("--since: expected a date such as 2026-01 or 2026-01-31, got '" +
                                      printable(options.since, 40) + "'"));
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const auto names = gpus_named(options.gpu, *catalogue);
  if (!names) return complain(system, names.error());
  auto store = open_prices(system, options.store);
  if (!store) return complain(system, store.error());
  const auto history = store->history({*names, options.provider, options.gpus, options.spot});
  if (!history) return complain(system, history.error());
  const HistoryReport report{called(options.gpu, *names), narrowed(options), history_rows(*history, options.since)};
  if (report.rows.empty()) {
    say(system, "gpuplan: no stored prices of " + printable(report.gpu, 100) + ", " + printable(report.what, 100) +
                    (options.since.empty() ? "" : " since " + options.since) + " (gpuplan prices status)");
    return kNothingFits;
  }
  if (!options.svg.empty())
    if (const int code = deliver(system, history_svg(report), options.svg, kDone); code != kDone || options.svg == "-")
      return code;
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return history_text(report, screen); },
      [&] { return history_json(report); }, [&] { return history_csv(report); });
}

}  // namespace

CommandSpec prices_history_action() {
  auto options = std::make_shared<HistoryArguments>();
  CommandSpec command{.name = "history",
                      .group = Group::kFacts,
                      .summary = "show what a GPU cost over time: lowest, median and highest of each day",
                      .examples =
                          "  gpuplan prices history H100\n"
                          "  gpuplan prices history \"H100 SXM\" --provider aws --gpus 8 --spot\n"
                          "  gpuplan prices history L4 --since 2026-06 --svg l4.svg\n"};
  command.words = {{.names = "gpu",
                    .target = &options->gpu,
                    .help = "name of a GPU; H100 alone means all of its kinds",
                    .value = "GPU",
                    .completes = Completes::kGpus,
                    .required = true}};
  command.options.push_back(
      {.names = "--provider", .target = &options->provider, .help = "only this provider", .value = "NAME"});
  command.options.push_back({.names = "--gpus",
                             .target = &options->gpus,
                             .help = "only machines with so many GPUs",
                             .value = "N",
                             .least = 1,
                             .most = 1024});
  command.options.push_back({.names = "--spot", .target = &options->spot, .help = "spot prices"});
  command.options.push_back(
      {.names = "--since", .target = &options->since, .help = "from this date on", .value = "YYYY-MM[-DD]"});
  command.options.push_back({.names = "--svg",
                             .target = &options->svg,
                             .help = "also draw the chart into a file",
                             .value = "FILE.svg",
                             .completes = Completes::kFiles});
  add_store_options(command, options->store, true);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_history>(command, options);
  return command;
}

}  // namespace gpuplan::cli
