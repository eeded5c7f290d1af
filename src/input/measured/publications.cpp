#include "input/measured/publications.h"

#include <map>

#include "input/text/csv.h"

namespace gpuplan {

Result<std::vector<std::pair<std::string, std::string>>> read_publications(std::string_view text,
                                                                           std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto source = cells.column("source"), publication = cells.column("publication");
  std::map<std::string, std::string> found;
  for (std::size_t row = 0; row < table->rows(); ++row)
    found.try_emplace(std::string(cells.required(row, source)), cells.required(row, publication));
  if (!cells.ok()) return std::unexpected(*cells.error());
  return std::vector<std::pair<std::string, std::string>>(found.begin(), found.end());
}

}  // namespace gpuplan
