// gpuplan prices watch: what the last import changed.
#include <memory>

#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/prices/open_store.h"
#include "cli/prices/prices_actions.h"
#include "output/prices/changes_report.h"

namespace gpuplan::cli {
namespace {

struct WatchArguments {
  Common common;
  StoreOptions store;
  bool all = false;
};

int run_watch(System& system, const WatchArguments& options) {
  auto store = open_prices(system, options.store);
  if (!store) return complain(system, store.error());
  const auto status = store->status();
  if (!status) return complain(system, status.error());
  const auto changes = store->changes();
  if (!changes) return complain(system, changes.error());
  const ImportRecord& last = status->last;
  return deliver_form(
      system, options.common, kDone,
      [&](const Screen& screen) { return changes_text(*changes, last, options.all, screen); },
      [&] { return changes_json(*changes, last); }, [&] { return changes_csv(*changes); });
}

}  // namespace

CommandSpec prices_watch_action() {
  auto options = std::make_shared<WatchArguments>();
  CommandSpec command{.name = "watch",
                      .group = Group::kFacts,
                      .summary = "show what the last import changed: new, gone, more expensive, cheaper",
                      .examples = "  gpuplan prices watch\n  gpuplan prices watch --all --csv\n"};
  add_all_flag(command, options->all, "list every change");
  add_store_options(command, options->store, true);
  add_output_options(command, options->common);
  set_run<run_watch>(command, options);
  return command;
}

}  // namespace gpuplan::cli
