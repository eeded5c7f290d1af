#include "cli/load/keep_run.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "cli/load/load_catalogue.h"
#include "input/text/csv.h"

namespace gpuplan::cli {

CalibrateReport KeptRun::report() const {
  CalibrateReport report = now->report(row, planned, *before);
  report.file = file;
  report.differs = row.differs;
  return report;
}

Result<std::string> own_runs_target(System& system, const OwnRunsOptions& options) {
  std::string file = own_runs_file(system, options);
  if (file.empty())
    return wrong_use("no place for own runs: GPUPLAN_RUNS is empty, or there is no HOME; give --runs FILE.csv");
  return file;
}

Error not_written(const std::string& file, const std::error_code& why) {
  if (why == std::errc::timed_out) return {"cannot be written: locked by another program for 10 s", {file}};
  return {"cannot be written: " + why.message(), {file}};
}

std::string already_words(const KeptRun& kept) {
  return "Run " + kept.row.id + " is in " + kept.file + " already; nothing changed.";
}

Result<KeptRun> keep_run(System& system, const api::CheckAnswer& checked, const Catalogue& catalogue,
                         const OwnRunsOptions& options, const std::string& data_folder) {
  auto file = own_runs_target(system, options);
  if (!file) return std::unexpected(std::move(file.error()));
  const auto pinned = system.environment("GPUPLAN_TODAY");
  auto row = api::own_row(checked, pinned ? std::string(*pinned) : system.today(), catalogue);
  if (!row) return std::unexpected(std::move(row.error()));
  KeptRun kept{.row = *std::move(row), .file = shown_name(*file), .planned = *checked.planned};
  std::string before, now;
  std::optional<Error> wrong;
  const ChangeBy add([&](const std::string& text) -> std::optional<std::string> {
    auto table = OwnRunFile::parse(text, kept.file);
    before = now = text;
    if (!table) {
      wrong = std::move(table.error());
      return std::nullopt;
    }
    kept.already = table->has(kept.row.id);
    if (kept.already) return std::nullopt;
    table->add(kept.row);
    now = table->text();
    return now;
  });
  const std::error_code error = system.change_file(*file, CsvTable::kMaxBytes, add);
  if (wrong) return std::unexpected(*std::move(wrong));
  if (error) return std::unexpected(not_written(kept.file, error));
  auto facts = load_catalogue(system, data_folder);
  if (!facts) return std::unexpected(std::move(facts.error()));
  auto old_runs = api::OwnRuns::read({kept.file, std::move(before)}, *facts);
  if (!old_runs) return std::unexpected(std::move(old_runs.error()));
  auto new_runs = api::OwnRuns::read({kept.file, std::move(now)}, *std::move(facts));
  if (!new_runs) return std::unexpected(std::move(new_runs.error()));
  kept.before = *std::move(old_runs);
  kept.now = *std::move(new_runs);
  return kept;
}

}  // namespace gpuplan::cli
