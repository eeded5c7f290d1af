#include "cli/load/own_runs.h"

#include <cstddef>
#include <utility>

#include "api/accuracy/own_runs.h"
#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/io/read_file.h"
#include "cli/load/load_catalogue.h"
#include "cli/load/user_folder.h"
#include "input/text/csv.h"

namespace gpuplan::cli {

void add_runs_options(CommandSpec& command, OwnRunsOptions& options) {
  command.options.push_back({.names = "--runs",
                             .target = &options.file,
                             .help = "your own runs, which predictions learn from (default: GPUPLAN_RUNS, else "
                                     "gpuplan/own_runs.csv in the XDG data folder)",
                             .value = "FILE.csv",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--no-runs", .target = &options.none, .help = "do not learn from your own runs"});
}

std::string own_runs_file(System& system, const OwnRunsOptions& options) {
  return options.file.empty() ? data_file(system, "GPUPLAN_RUNS", "own_runs.csv") : options.file;
}

void tell_bad_rows(System& system, const std::vector<Error>& lines) {
  constexpr std::size_t kTold = 5;
  for (std::size_t i = 0; i < lines.size() && i < kTold; ++i) complain(system, lines[i]);
  if (lines.size() > kTold)
    say(system, "gpuplan: " + count_of(static_cast<double>(lines.size() - kTold), "more row") +
                    " of your own runs cannot be used");
}

Result<Catalogue> load_learned(System& system, const std::string& folder, const OwnRunsOptions& options) {
  auto catalogue = load_catalogue(system, folder);
  if (!catalogue || options.none) return catalogue;
  const std::string file = own_runs_file(system, options);
  const bool named = !options.file.empty();
  if (file.empty() || (!named && !system.facts_of(file).is_file())) return catalogue;
  auto text = read_file(system, file, CsvTable::kMaxBytes);
  if (!text && named) return std::unexpected(std::move(text.error()));
  auto bad_rows = text ? api::learn_from({shown_name(file), *std::move(text)}, *catalogue)
                       : Result<std::vector<Error>>(std::unexpected(std::move(text.error())));
  if (bad_rows) {
    tell_bad_rows(system, *bad_rows);
  } else if (named) {
    return std::unexpected(std::move(bad_rows.error()));
  } else {
    complain(system, bad_rows.error());
    say(system, "gpuplan: your own runs are not used (--no-runs)");
  }
  return catalogue;
}

}  // namespace gpuplan::cli
