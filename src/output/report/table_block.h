// Tables of the views as tables of a report: the columns that a reader of a page needs, under titles without capitals.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "output/report/document.h"
#include "output/text/table.h"

namespace gpuplan {

struct ColumnPick {
  std::string_view column;  ///< its key, or its title where it has none; "~" behind it: the column after that, a range
  std::string_view title;
};

/// Those columns, in this order; what is not there is left out. The row with the sign of the pick is marked.
TableBlock table_block(const Table& table, std::string_view key, std::string caption,
                       std::initializer_list<ColumnPick> picks);

/// A table put together row by row.
class TableMaker {
 public:
  TableMaker(std::string key, std::string caption, std::vector<TableColumn> columns)
      : table_{std::move(key), std::move(caption), std::move(columns), {}} {}

  /// Cells of a view, or texts; figures stay beside their text.
  void add(std::vector<Cell> cells, RowMark mark = RowMark::kNone, bool strong = false);
  /// The ends of a range in the row that was added last, in the unit of the column before.
  void range(std::string_view key, double low, double high);
  TableBlock take() { return std::move(table_); }
  bool empty() const { return table_.rows.empty(); }

 private:
  TableBlock table_;
};

}  // namespace gpuplan
