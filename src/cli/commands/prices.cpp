// gpuplan prices ACTION: prices of other people, kept over time.
#include "cli/commands/commands.h"
#include "cli/prices/prices_actions.h"

namespace gpuplan::cli {

CommandSpec prices_command() {
  CommandSpec command{.name = "prices",
                      .group = Group::kFacts,
                      .summary = "store price lists and look at them: import, fetch, status, history, watch, export",
                      .examples =
                          "  gpuplan prices fetch\n"
                          "  gpuplan prices import ~/.sky/catalogs\n"
                          "  gpuplan prices status\n"
                          "  gpuplan prices history H100\n"};
  add_action(command, prices_import_action());
  add_action(command, prices_fetch_action());
  add_action(command, prices_status_action());
  add_action(command, prices_history_action());
  add_action(command, prices_watch_action());
  add_action(command, prices_export_action());
  return command;
}

}  // namespace gpuplan::cli
