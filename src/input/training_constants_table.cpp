#include "input/training_constants_table.h"

#include <algorithm>
#include <vector>

#include "input/csv.h"

namespace gpuplan {

Result<void> read_training_constants(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), value = cells.column("value"), least = cells.column("least"),
             most = cells.column("most"), unit = cells.column("unit"), meaning = cells.column("meaning"),
             source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kLargest = 1e6;
  std::vector<std::string_view> seen;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const std::string_view wanted = cells.required(row, name);
    const auto* constant = std::ranges::find(kTrainingConstants, wanted, &TrainingConstant::name);
    if (constant == kTrainingConstants.end()) {
      cells.fail_cell(row, name, "a constant of the training model");
      break;
    }
    if (std::ranges::find(seen, wanted) != seen.end()) cells.fail_cell(row, name, "given once");
    seen.push_back(wanted);
    const double low = cells.number(row, least, 0, kLargest);
    const double high = cells.number(row, most, low, kLargest);
    cells.required(row, value);
    catalogue.training_constants.*constant->field = cells.number(row, value, low, high);
    for (const auto column : {unit, meaning, source}) cells.required(row, column);
    cells.date(row, as_of);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
