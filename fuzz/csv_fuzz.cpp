// Any bytes: the CSV reader either gives a whole table or one clear line.
// seeds: data/*.csv fuzz/seeds/prices.csv
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/text/csv.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = gpuplan::CsvTable::parse(text, "fuzz.csv");
  if (!table) {
    check_error(table.error());
    return 0;
  }
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < table->rows(); ++row)
    for (std::size_t column = 0; column < table->columns(); ++column) bytes += table->cell(row, column).size();
  if (bytes > size) __builtin_trap();
  gpuplan::CsvReader cells(*table);
  const auto first = cells.column(table->name(0), table->unit(0));
  for (std::size_t row = 0; row < table->rows(); ++row) {
    cells.number(row, first, -1e9, 1e9);
    cells.date(row, first);
  }
  if (cells.error()) check_error(*cells.error());
  return 0;
}
