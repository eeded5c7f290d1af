#include "input/tables/assumptions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "input/tables/complete.h"
#include "input/text/csv.h"

namespace gpuplan {

Result<void> read_assumptions(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), low = cells.column("low"), value = cells.column("value"),
             high = cells.column("high"), unit = cells.column("unit"), meaning = cells.column("meaning"),
             replaced = cells.column("replaced_by"), source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kLargest = 1e6;
  std::vector<std::string_view> seen;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const std::string_view wanted = cells.required(row, name);
    const auto* known = std::ranges::find(kAssumptions, wanted, &AssumptionField::name);
    if (known == std::end(kAssumptions)) {
      cells.fail_cell(row, name, "a figure that gpuplan assumes");
      break;
    }
    if (std::ranges::find(seen, wanted) != seen.end()) cells.fail_cell(row, name, "given once");
    seen.push_back(wanted);
    if (cells.required(row, unit) != known->unit) cells.fail_cell(row, unit, known->unit);
    for (const auto column : {low, value, high, meaning, replaced}) cells.required(row, column);
    // Rates and times are divided by, and spread as lognormals: nothing is zero.
    const double least = cells.number(row, low, 1e-3, kLargest);
    const double middle = cells.number(row, value, least, kLargest);
    const double most = cells.number(row, high, middle, kLargest);
    catalogue.assumptions.*known->field = {{least * known->scale, middle * known->scale, most * known->scale},
                                           std::string(cells.required(row, source)),
                                           std::string(cells.date(row, as_of))};
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  std::vector<std::string_view> missing;
  for (const AssumptionField& known : kAssumptions)
    if (std::ranges::find(seen, known.name) == seen.end()) missing.push_back(known.name);
  return every_row(file, missing, "a figure that gpuplan assumes");
}

}  // namespace gpuplan
