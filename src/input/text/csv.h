// Comma-separated tables as RFC 4180 defines them: strict, with one clear error that names the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "base/text.h"

namespace gpuplan {

/// A header row and rows of as many cells. Cells are views into the text that was parsed, which must outlive the table;
/// only cells with doubled quotes are copied.
class CsvTable {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxCells = 4'000'000;

  /// Reads UTF-8 text with LF or CRLF line ends and an optional byte order mark; blank lines are skipped. Errors: no
  /// header, too large, a byte that is no text, cells between semicolons or tabs, a stray or unclosed quote, a row with
  /// another number of cells than the header, a column name given twice. `file` is what messages call the text.
  static Result<CsvTable> parse(std::string_view text, std::string_view file);

  // A copy's cells would look into the table it was copied from.
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;
  CsvTable(CsvTable&&) noexcept = default;
  CsvTable& operator=(CsvTable&&) noexcept = default;

  std::size_t rows() const { return lines_.size(); }
  std::size_t columns() const { return header_.size(); }
  std::string_view cell(std::size_t row, std::size_t column) const { return cells_[row * header_.size() + column]; }
  /// Header cell without its unit: "memory" of "memory[GiB]".
  std::string_view name(std::size_t column) const { return header_[column].name; }
  /// What stands in brackets behind the name; "" when there is none.
  std::string_view unit(std::size_t column) const { return header_[column].unit; }
  /// Position of a column by its name, compared without regard to case, blanks and signs; with two of that name
  /// ("network" and "network[Gbit/s]") the one in that unit, else the first.
  std::optional<std::size_t> find(std::string_view name, std::string_view unit = "") const;
  /// Where a row begins, for messages.
  Place place(std::size_t row) const { return {file_, static_cast<int>(lines_[row]), 0}; }
  const std::string& file() const { return file_; }

 private:
  struct Column {
    std::string_view name, unit;
  };
  struct Scanner;

  CsvTable() = default;

  std::string file_;
  std::vector<Column> header_;
  std::vector<std::string_view> cells_;  ///< row by row
  std::vector<std::uint32_t> lines_;     ///< line on which each row begins
  std::deque<std::string> copies_;       ///< cells whose quotes had to be undone
};

/// Reads typed cells of a table one after the other and keeps the first error, so that a caller writes down the columns
/// it wants and asks once at the end. After an error every read returns its empty value.
class CsvReader {
 public:
  /// A column that may be missing: reads of it return the empty value.
  using Column = std::optional<std::size_t>;

  explicit CsvReader(const CsvTable& table) : table_(&table) {}

  /// Position of a column that must be there, in this unit.
  Column column(std::string_view name, std::string_view unit = "");
  /// The same for one that may be missing; its unit is still checked.
  Column optional_column(std::string_view name, std::string_view unit = "");

  /// The cell without surrounding blanks.
  std::string_view text(std::size_t row, Column column) const {
    if (!column) return {};
    const std::string_view cell = table_->cell(row, *column);
    const bool bare = cell.empty() || (cell.front() > ' ' && cell.back() > ' ');
    return bare ? cell : trim(cell);
  }
  /// The same; an empty cell is an error.
  std::string_view required(std::size_t row, Column column);
  /// A finite number from `low` to `high`; `fallback` for an empty cell.
  double number(std::size_t row, Column column, double low, double high, double fallback = 0);
  /// A whole number from `low` to `high`; `fallback` for an empty cell.
  int whole(std::size_t row, Column column, int low, int high, int fallback = 0);
  /// yes or no; `fallback` for an empty cell.
  bool yes_no(std::size_t row, Column column, bool fallback = false);
  /// YYYY-MM or YYYY-MM-DD; never empty.
  std::string_view date(std::size_t row, Column column);
  /// Its name in the header; "" for one that is missing.
  std::string_view name_of(Column column) const { return column ? table_->name(*column) : std::string_view(); }
  /// Parts of the cell between separators, trimmed; none for an empty cell.
  std::vector<std::string> list(std::size_t row, Column column, char separator) const;
  /// One of an enumeration's names; `fallback` for an empty cell.
  template <HasNames E>
  E choice(std::size_t row, Column column, E fallback) {
    const std::string_view cell = text(row, column);
    if (cell.empty()) return fallback;
    if (const auto value = from_name<E>(cell)) return *value;
    unknown_name(row, column, cell, all_names<E>());
    return fallback;
  }
  /// Names of an enumeration joined by '+'.
  template <HasNames E>
  std::vector<E> choices(std::size_t row, Column column) {
    std::vector<E> values;
    for (const std::string& name : list(row, column, '+')) {
      if (const auto value = from_name<E>(name)) values.push_back(*value);
      else unknown_name(row, column, name, all_names<E>());
    }
    return values;
  }

  /// Records an error of this row unless there is one already.
  void fail(std::size_t row, std::string message);
  /// Records that a cell holds something else than expected: "column NAME: 'CELL' is not EXPECTED".
  void fail_cell(std::size_t row, Column column, std::string_view expected);
  /// Records that a cell is none of these names.
  void unknown_name(std::size_t row, Column column, std::string_view cell, const std::vector<std::string_view>& names);

  bool ok() const { return !error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  Column find(std::string_view name, std::string_view unit, bool required);
  std::string cell_text(std::size_t row, Column column) const;

  const CsvTable* table_;
  std::optional<Error> error_;
};

/// True for a calendar date written YYYY-MM or YYYY-MM-DD, years 1990 to 2099.
bool is_iso_date(std::string_view text);

}  // namespace gpuplan
