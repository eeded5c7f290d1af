#include "fit/parameters.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "input/csv.h"

namespace gpuplan::fit {
namespace {

/// Cells of one line as they stand, quotes and all.
std::vector<std::string> raw_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) cells.emplace_back();
    else cells.back() += c;
  }
  return cells;
}

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view cell = header[i];
    if (cell.substr(0, cell.find('[')) == name) return i;
  }
  return header.size();
}

std::string row_name(std::string_view table, const std::vector<std::string>& cells) {
  return table == "efficiency" ? cells[0] + "/" + cells[1] + "/" + cells[2] : cells[0];
}

}  // namespace

Result<std::vector<Parameter>> read_parameters(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("table"), row_column = cells.column("row"), column = cells.column("column"),
             prior = cells.column("prior"), deviation = cells.column("deviation"), least = cells.column("least"),
             most = cells.column("most");
  constexpr double kLargest = 1e6;
  std::vector<Parameter> parameters;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Parameter p;
    p.address = {std::string(cells.required(row, name)), std::string(cells.required(row, row_column)),
                 std::string(cells.required(row, column))};
    p.prior = cells.number(row, prior, 1e-6, kLargest);
    p.deviation = cells.number(row, deviation, 1e-4, 10);
    p.least = cells.number(row, least, 1e-6, kLargest);
    p.most = cells.number(row, most, p.least, kLargest);
    parameters.push_back(std::move(p));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return parameters;
}

std::string with_values(std::string_view text, std::string_view table, const std::vector<Parameter>& parameters,
                        const std::vector<double>& values) {
  std::string out;
  std::vector<std::string> header;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto cells = raw_cells(line);
    if (header.empty()) {
      header = cells;
    } else {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const FittedAddress& at = parameters[i].address;
        if (at.table != table || at.row != row_name(table, cells)) continue;
        const std::size_t column = column_of(header, at.column);
        if (column < cells.size()) cells[column] = significant_text(values[i], 3);
      }
    }
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + cells[i];
    out += '\n';
  }
  return out;
}

}  // namespace gpuplan::fit
