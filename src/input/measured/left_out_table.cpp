#include "input/measured/left_out_table.h"

#include <utility>

#include "input/text/csv.h"

namespace gpuplan {

Result<std::vector<LeftOutValue>> read_left_out(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto source = cells.column("source"), name = cells.column("table"), row_name = cells.column("row"),
             column = cells.column("column"), value = cells.column("value");
  constexpr double kLargest = 1e6;
  std::vector<LeftOutValue> values;
  values.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    LeftOutValue one;
    one.source = cells.required(row, source);
    one.address = {std::string(cells.required(row, name)), std::string(cells.required(row, row_name)),
                   std::string(cells.required(row, column))};
    cells.required(row, value);
    one.value = cells.number(row, value, 0, kLargest);
    values.push_back(std::move(one));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return values;
}

}  // namespace gpuplan
