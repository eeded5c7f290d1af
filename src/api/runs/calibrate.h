// Learning from own runs: a checked log as a row, and what the rows teach.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/questions/prices.h"
#include "api/runs/check.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/own/learning.h"
#include "input/measured/own_run_table.h"
#include "output/runs/calibrate_report.h"

namespace gpuplan::api {

/// The run of a checked log as a row. `catalogue`: the one that the question was asked with. Fails with what is
/// missing, in one line.
Result<OwnRow> own_row(const CheckAnswer& checked, const std::string& date, const Catalogue& catalogue);

/// The rows of a table, and the facts with and without what they tell. Stays where it is.
class OwnRuns {
 public:
  /// An empty text is a table without rows.
  static Result<std::unique_ptr<OwnRuns>> read(const NamedText& table, Catalogue facts);
  OwnRuns(const OwnRuns&) = delete;
  OwnRuns& operator=(const OwnRuns&) = delete;

  const std::vector<OwnRow>& rows() const { return table_.rows; }
  const std::vector<Error>& bad_lines() const { return table_.bad_lines; }
  const Catalogue& facts() const { return facts_; }      ///< without
  const Catalogue& learned() const { return learned_; }  ///< with

  /// All rows, and what they teach. Refers to this.
  CalibrateReport report() const;
  /// The same about one row that was not in the table `before`.
  CalibrateReport report(const OwnRow& row, const PlannedPhase& planned, const OwnRuns& before) const;

 private:
  OwnRuns() = default;

  OwnRunTable table_;
  Catalogue facts_, learned_;
  std::vector<ComparedRow> compared_;
};

}  // namespace gpuplan::api
