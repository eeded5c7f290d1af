// How far predictions are from measured runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/accuracy/measured_runs.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "output/runs/validate_report.h"

namespace gpuplan::api {

struct ValidateTerms {
  std::string metric{};                ///< a kind of figure by its name; empty: all
  std::string run{};                   ///< the id of the one that is told alone; empty: those farthest off
  std::vector<std::string> by{};       ///< groupings by their names; an unknown one is passed over
  std::vector<std::string> sources{};  ///< runs of these only; empty: all
  int worst = -1;                      ///< how many runs of each kind of figure are told; below 0: a few
  bool all = false;                    ///< every run in place of the farthest off
  bool left_out = false;               ///< each run with constants fitted without its source
  bool pairs = false;                  ///< runs of one source and model compared with each other
  int own = 0;                         ///< how many runs of a source are taken as own, to predict its others; 0: none
  bool first_contact = false;          ///< what was predicted before anybody had looked; of the built-in runs
};

/// Owns the runs that its report is of, and the catalogues that predictions without a source refer to.
struct ValidateAnswer {
  std::unique_ptr<const MeasuredRuns> runs;
  std::unique_ptr<const LeftOut> left_out;
  ValidationReport report;
  ValidationLook look;
  std::vector<Grouping> by;
  bool alone = false;  ///< one run is told

  std::string text(const Screen& screen) const {
    return alone ? explained_text(report, screen) : validate_text(report, look, screen);
  }
  std::string json() const { return validate_json(report, by); }
  std::string csv() const { return validate_csv(report, by); }
};

/// REQUIRES: a run. Fails for a source, figure or run that none of the runs has.
Result<ValidateAnswer> ask_validate(MeasuredRuns runs, const ValidateTerms& terms, const Catalogue& catalogue);

/// docs/accuracy.md of these runs, which are compiled in.
Result<std::string> accuracy_of(const MeasuredRuns& runs, const Catalogue& catalogue);

}  // namespace gpuplan::api
