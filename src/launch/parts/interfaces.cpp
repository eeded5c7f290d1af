#include "launch/parts/interfaces.h"

#include <algorithm>

#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {

Result<std::vector<Interface>> read_interfaces(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), package = cells.column("package"), from = cells.column("from"),
             before = cells.column("before"), date = cells.column("date"), source = cells.column("source"),
             as_of = cells.column("as_of");
  std::vector<Interface> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto text_of = [&](CsvReader::Column column) { return std::string(cells.text(row, column)); };
    Interface known{std::string(cells.required(row, name)), text_of(package), text_of(from), text_of(before),
                    text_of(date)};
    cells.required(row, source);
    cells.date(row, as_of);
    if (std::ranges::find(rows, known.name, &Interface::name) != rows.end()) cells.fail_cell(row, name, "given once");
    rows.push_back(std::move(known));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return rows;
}

const Interface* interface_of(std::string_view name) {
  // Without rows where it can not be read, which tests/data would tell.
  static const std::vector<Interface> all = [] {
    auto rows = read_interfaces(embedded_data("interfaces/index.csv"), "interfaces/index.csv");
    return rows ? *std::move(rows) : std::vector<Interface>{};
  }();
  const auto found = std::ranges::find(all, name, &Interface::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace gpuplan
