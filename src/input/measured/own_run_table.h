// The user's own runs: a CSV with a row each, of training and of generation, with the columns of the measured runs
// (data/measured) and a few that say what plans do. Whoever keeps it may edit it: what can not be read stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/own/own_row.h"

namespace gpuplan {

struct OwnRunTable {
  std::vector<OwnRow> rows;
  std::vector<Error> bad_lines;  ///< rows that can not be used, each with its place
};

/// Reads the rows that can be read. Errors: no header with a GPU.
Result<OwnRunTable> read_own_runs(std::string_view text, std::string_view file, const Catalogue& catalogue);

/// The text of that table, changed row by row.
class OwnRunFile {
 public:
  /// An empty text is a table without rows. Errors: no header with a GPU.
  static Result<OwnRunFile> parse(std::string_view text, std::string_view file);

  void add(const OwnRow& row);
  /// False: there is no such row.
  bool remove(std::string_view id);
  /// Whether predictions learn from the rows; how many of them that changes.
  int use(bool all);
  bool has(std::string_view id) const;
  std::string text() const;

 private:
  struct Line {
    std::vector<std::string> cells;  ///< of `columns_`; empty: `raw` is no row
    std::string raw;
  };
  std::size_t column(std::string_view name);
  const std::string* cell(const Line& line, std::string_view name) const;

  std::vector<std::string> columns_;
  std::vector<Line> lines_;
};

/// A short name made from what the row says, but for its date.
std::string own_run_id(const OwnRow& row);

/// The row as data/measured has it, with nothing that names job, log or a private model: the header, and the row under
/// it. `source` stands in the columns id and source.
std::string shared_header(const AnyRun& run);
std::string shared_line(const OwnRow& row, std::string_view source, const Catalogue& catalogue);

}  // namespace gpuplan
