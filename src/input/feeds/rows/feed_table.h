// What price lists that are tables have in common: a header by which columns are found, and rows of which a damaged one
// is rejected alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "input/feeds/rows/feed_reader.h"
#include "input/text/untidy/csv_rows.h"

namespace gpuplan {

/// Names of a header, as they stand there.
using FeedHeader = std::span<const std::string_view>;
/// Position of a column; empty: the table has none.
using FeedColumn = std::optional<std::size_t>;

/// The first column of one of these names, in the order of the names; case, blanks and signs do not count.
FeedColumn feed_column(FeedHeader header, std::initializer_list<std::string_view> names);

/// Whether one of the first rows of a table is its header, which `is_header` decides.
bool table_begins(std::string_view head, bool (*is_header)(FeedHeader));

/// One row.
class FeedCells {
 public:
  explicit FeedCells(const CsvRows::Row& row) : row_(&row) {}
  std::uint64_t line() const { return row_->line; }
  /// Empty also where there is no such column.
  std::string_view text(FeedColumn column) const { return column ? row_->cells[*column] : std::string_view(); }
  /// kNoPrice where the cell is empty; nullopt where it holds no number. Plain notation: 12.5, 1e3.
  std::optional<double> number(FeedColumn column) const;
  std::span<const std::string_view> all() const { return row_->cells; }
  /// What to find it by: its first cells.
  std::string words() const;

 private:
  const CsvRows::Row* row_;
};

class FeedTable : public FeedReader {
 public:
  explicit FeedTable(FeedRows& rows) : rows_(&rows) {}
  Result<void> take(std::string_view piece) final;
  Result<void> finish() final;

 protected:
  /// Takes the positions of columns from a header. False: this row is none; titles may stand above.
  virtual bool header(FeedHeader names) = 0;
  /// Columns that a header must have, for the message when none has: "InstanceType, Price".
  virtual std::string_view needed() const = 0;
  /// A row with as many cells as the header.
  virtual void row(const FeedCells& cells) = 0;
  /// After the last row.
  virtual void end() {}

  FeedRows& rows() { return *rows_; }
  /// The list as a whole can not be used: take() fails with this.
  void refuse(std::string message) { refusal_ = std::move(message); }

 private:
  void read(const CsvRows::Row& row);
  std::unexpected<Error> failed(std::string message) const;
  Result<void> problem() const;

  FeedRows* rows_;
  CsvRows text_;
  std::size_t columns_ = 0;  ///< 0: the header has not come
  std::size_t before_ = 0;   ///< rows above the header
  std::string refusal_;
};

}  // namespace gpuplan
