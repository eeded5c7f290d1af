// gpuplan prices export: the stored offers as a price list.
#include <memory>

#include "api/questions/question.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/prices/keep_feeds.h"
#include "cli/prices/open_store.h"
#include "cli/prices/prices_actions.h"
#include "output/prices/changes_report.h"

namespace gpuplan::cli {
namespace {

struct ExportArguments {
  StoreOptions store;
  std::string output, as_of;
};

int run_export(System& system, const ExportArguments& options) {
  if (const auto good = api::check_date(options.as_of); !good) return complain(system, good.error());
  const auto today = today_of(system);
  if (!today) return complain(system, today.error());
  if (const auto good = api::check_past(options.as_of, *today); !good) return complain(system, good.error());
  auto store = open_prices(system, options.store);
  if (!store) return complain(system, store.error());
  const auto offers = store->offers(options.as_of);
  if (!offers) return complain(system, offers.error());
  return deliver(system, offers_as_list(*offers), options.output, kDone);
}

}  // namespace

CommandSpec prices_export_action() {
  auto options = std::make_shared<ExportArguments>();
  CommandSpec command{.name = "export",
                      .group = Group::kFacts,
                      .summary = "write the stored offers as CSV, which import reads back",
                      .examples =
                          "  gpuplan prices export -o offers.csv\n"
                          "  gpuplan prices export --as-of 2026-10-01 | less\n"};
  command.options.push_back({.names = "--as-of",
                             .target = &options->as_of,
                             .help = "as they were known on this date",
                             .value = "YYYY-MM[-DD]"});
  command.options.push_back({.names = "-o,--output",
                             .target = &options->output,
                             .help = "write to a file",
                             .value = "FILE.csv",
                             .completes = Completes::kFiles});
  add_store_options(command, options->store, true);
  set_run<run_export>(command, options);
  return command;
}

}  // namespace gpuplan::cli
