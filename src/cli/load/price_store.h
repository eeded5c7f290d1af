// The store of prices that a command means, and its offers for a question.
#pragma once

#include <memory>
#include <string>

#include "api/questions/question.h"
#include "cli/io/system.h"
#include "cli/options/command_spec.h"

namespace gpuplan::cli {

struct StoreOptions {
  std::string file;   ///< --store; empty: GPUPLAN_STORE, else in the XDG data folder
  bool none = false;  ///< --no-store
};

/// --store, and for commands that can do without one --no-store.
void add_store_options(CommandSpec& command, StoreOptions& options, bool needed = false);

/// The file's name; empty: there is none, because GPUPLAN_STORE is empty or there is no home.
std::string store_file(System& system, const StoreOptions& options);

/// What is stored, read when it is asked for; null where nothing is. A store that can not be read is told on stderr and
/// left out, unless --store names it: then it is the error. The system outlives it.
std::shared_ptr<const api::StoredOffers> stored_prices(System& system, const StoreOptions& options);

}  // namespace gpuplan::cli
