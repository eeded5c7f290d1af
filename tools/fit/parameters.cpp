#include "fit/parameters.h"

#include <set>
#include <string>

#include "base/text.h"
#include "facts/csv_text.h"
#include "input/text/csv.h"

namespace gpuplan::fit {
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

void save_values(const std::string& data, const std::vector<FittedNumber>& numbers) {
  std::set<std::string> tables;
  for (const FittedNumber& number : numbers) tables.insert(number.address.table);
  for (const std::string& table : tables) {
    facts::CsvText text(data + "/" + table + ".csv");
    const bool by_hardware = table == "efficiency";
    for (std::size_t row = 0; row < text.rows(); ++row) {
      const std::string name = by_hardware ? text.cell(row, "architecture") + "/" + text.cell(row, "memory_type") +
                                                 "/" + text.cell(row, "accumulation")
                                           : text.cell(row, "name");
      for (const auto& [at, value] : numbers)
        if (at.table == table && at.row == name) text.cell(row, at.column) = significant_text(value, 3);
    }
    text.save();
  }
}

}  // namespace gpuplan::fit
