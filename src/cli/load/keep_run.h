// Keeping a checked run among the user's own, and what that teaches.
#pragma once

#include <memory>
#include <string>

#include "api/runs/calibrate.h"
#include "base/result.h"
#include "cli/io/system.h"
#include "cli/load/own_runs.h"
#include "domain/facts/catalogue.h"

namespace gpuplan::cli {

/// Own runs without and with the one that was kept.
struct KeptRun {
  OwnRow row;
  bool already = false;  ///< the same run was there: nothing changed
  std::string file;      ///< as messages call it
  api::PlannedPhase planned{};
  std::unique_ptr<api::OwnRuns> before{}, now{};

  CalibrateReport report() const;
};

/// Adds the run's row to the file. `catalogue`: the one that the log was checked with.
Result<KeptRun> keep_run(System& system, const api::CheckAnswer& checked, const Catalogue& catalogue,
                         const OwnRunsOptions& options, const std::string& data_folder);

/// "Run rk3f9a1 is there already ...".
std::string already_words(const KeptRun& kept);

/// The file's name; an error where there is none to write to.
Result<std::string> own_runs_target(System& system, const OwnRunsOptions& options);
/// Why own runs could not be written; nothing to say where a signal came.
Error not_written(const std::string& file, const std::error_code& why);

}  // namespace gpuplan::cli
