// gpuplan prices status: what is stored, how old it is, and what the last import could not use.
#include <memory>

#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/prices/keep_feeds.h"
#include "cli/prices/open_store.h"
#include "cli/prices/prices_actions.h"
#include "output/prices/status_report.h"

namespace gpuplan::cli {
namespace {

struct StatusArguments {
  Common common;
  StoreOptions store;
};

int run_prices_status(System& system, const StatusArguments& options) {
  const auto today = today_of(system);
  if (!today) return complain(system, today.error());
  const auto catalogue = load_catalogue(system, "");
  if (!catalogue) return complain(system, catalogue.error());
  const PriceAges ages{*today, catalogue->answer_constants.old_price_days};
  const std::string file = store_file(system, options.store);
  if (options.store.file.empty() && (file.empty() || !system.facts_of(file).is_file()))
    return deliver_form(
        system, options.common, kDone, [&](const Screen&) { return no_store_text(file); },
        [&] { return no_store_json(file); }, [&] { return store_csv({}, ages); });
  auto store = open_prices(system, options.store);
  if (!store) return complain(system, store.error());
  const auto status = store->status();
  if (!status) return complain(system, status.error());
  return deliver_form(
      system, options.common, kDone,
      [&](const Screen& screen) { return store_text(*status, ages, screen, options.common.details); },
      [&] { return store_json(*status, ages); }, [&] { return store_csv(*status, ages); });
}

}  // namespace

CommandSpec prices_status_action() {
  auto options = std::make_shared<StatusArguments>();
  CommandSpec command{.name = "status",
                      .group = Group::kFacts,
                      .summary = "show which prices are stored, how old they are, and what is stale",
                      .examples = "  gpuplan prices status\n  gpuplan prices status --json\n"};
  add_store_options(command, options->store, true);
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  set_run<run_prices_status>(command, options);
  return command;
}

}  // namespace gpuplan::cli
