#include "output/report/table_block.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace gpuplan {
namespace {

std::optional<std::size_t> find_column(const std::vector<Column>& columns, std::string_view name) {
  const bool next = name.ends_with('~');
  if (next) name.remove_suffix(1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].key != name && (columns[i].key.empty() ? columns[i].title != name : true)) continue;
    if (!next) return i;
    for (std::size_t j = i + 1; j < columns.size(); ++j)
      if (columns[j].title == kRangeHead) return j;
  }
  return std::nullopt;
}

/// Key and figures of a column that is shown without a key: of the silent column behind it.
std::optional<std::size_t> figures_of(const std::vector<Column>& columns, std::size_t shown) {
  if (!columns[shown].key.empty()) return shown;
  const bool silent = shown + 1 < columns.size() && columns[shown + 1].title.empty() && !columns[shown + 1].key.empty();
  return silent && columns[shown].title != kRangeHead ? std::optional(shown + 1) : std::nullopt;
}

RowMark mark_of(const std::vector<Cell>& row) {
  return std::ranges::any_of(row, [](const Cell& cell) { return cell.text == "✔" || cell.text == "~"; })
             ? RowMark::kPick
             : RowMark::kNone;
}

/// The silent columns behind a range: its ends.
std::optional<double> end_of_range(const std::vector<Column>& columns, std::size_t shown, std::string_view end,
                                   const std::vector<Cell>& cells) {
  if (columns[shown].title != kRangeHead) return std::nullopt;
  for (std::size_t i = shown + 1; i < columns.size() && columns[i].title.empty(); ++i)
    if (columns[i].key.ends_with(end)) return i < cells.size() ? cells[i].number : std::nullopt;
  return std::nullopt;
}

}  // namespace

TableBlock table_block(const Table& table, std::string_view key, std::string caption,
                       std::initializer_list<ColumnPick> picks) {
  TableBlock block{std::string(key), std::move(caption), {}, {}};
  const std::vector<Column>& columns = table.columns();
  std::vector<std::size_t> shown;
  std::vector<std::optional<std::size_t>> figures;
  for (const ColumnPick& pick : picks) {
    const auto at = find_column(columns, pick.column);
    if (!at) continue;
    const auto figure = figures_of(columns, *at);
    shown.push_back(*at);
    figures.push_back(figure);
    std::string name = figure ? columns[*figure].key : std::string(pick.column);
    if (name.ends_with('~')) name = name.substr(0, name.size() - 1) + "_range";
    block.columns.push_back({std::move(name), std::string(pick.title), columns[*at].align == Align::kRight});
  }
  for (const std::vector<Cell>& cells : table.cells()) {
    TableRow& row = block.rows.emplace_back();
    row.mark = mark_of(cells);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool there = shown[i] < cells.size();
      row.cells.push_back(there ? cells[shown[i]].text : std::string());
      row.values.push_back(figures[i] && *figures[i] < cells.size() ? cells[*figures[i]].number
                                                                    : end_of_range(columns, shown[i], "_p10", cells));
      row.ends.push_back(end_of_range(columns, shown[i], "_p90", cells));
      row.strong = row.strong || (i == 0 && there && cells[shown[i]].paint == Paint::kBold && row.cells[i] == "total");
    }
  }
  // Prices of which none is one say nothing.
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const auto nothing = [&](const TableRow& row) { return row.cells[c].empty() || row.cells[c] == "$0.00"; };
    if (!std::ranges::all_of(block.rows, nothing)) continue;
    for (TableRow& row : block.rows) row.cells[c].clear();
  }
  return block;
}

void TableMaker::add(std::vector<Cell> cells, RowMark mark, bool strong) {
  TableRow row{mark, strong, {}, {}, {}};
  cells.resize(table_.columns.size());
  for (Cell& cell : cells) {
    row.cells.push_back(std::move(cell.text));
    row.values.push_back(cell.number);
  }
  table_.rows.push_back(std::move(row));
}

void TableMaker::range(std::string_view key, double low, double high) {
  const auto column = std::ranges::find(table_.columns, key, &TableColumn::key);
  if (column == table_.columns.end() || table_.rows.empty()) return;
  const auto at = static_cast<std::size_t>(column - table_.columns.begin());
  TableRow& row = table_.rows.back();
  row.values[at] = low;
  row.ends.resize(table_.columns.size());
  row.ends[at] = high;
}

}  // namespace gpuplan
