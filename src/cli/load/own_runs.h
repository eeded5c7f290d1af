// The user's own runs: where the file lies, and facts that have learned from it.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "cli/options/command_spec.h"
#include "domain/facts/catalogue.h"

namespace gpuplan::cli {

struct OwnRunsOptions {
  std::string file;   ///< --runs; empty: GPUPLAN_RUNS, else in the XDG data folder
  bool none = false;  ///< --no-runs
};

void add_runs_options(CommandSpec& command, OwnRunsOptions& options);

/// The file's name; empty: there is none, because GPUPLAN_RUNS is empty or there is no home.
std::string own_runs_file(System& system, const OwnRunsOptions& options);

/// load_catalogue() with what the own runs tell. Rows that can not be used are told on stderr, and a file that can not
/// be read at all too, unless --runs names it: then it is the error.
Result<Catalogue> load_learned(System& system, const std::string& folder, const OwnRunsOptions& options);

/// A line for each of the first of them, and how many more there are.
void tell_bad_rows(System& system, const std::vector<Error>& lines);

}  // namespace gpuplan::cli
