// The actions of gpuplan prices, one file each.
#pragma once

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

CommandSpec prices_import_action();
CommandSpec prices_fetch_action();
CommandSpec prices_status_action();
CommandSpec prices_history_action();
CommandSpec prices_watch_action();
CommandSpec prices_export_action();

}  // namespace gpuplan::cli
