#include "input/models/hub_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

using Name = std::pair<std::string, std::string>;  ///< squeezed, on the hub

std::vector<Name> read_names() {
  std::vector<Name> names;
  const auto table = CsvTable::parse(embedded_data("hub_names.csv"), "hub_names.csv");
  if (!table) return names;  // tests/data would tell
  CsvReader cells(*table);
  const auto name = cells.column("name"), hub = cells.column("hub");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row)
    names.emplace_back(squeeze(cells.required(row, name)), std::string(cells.required(row, hub)));
  return names;
}

}  // namespace

std::string hub_name(std::string_view model) {
  if (model.find('/') != std::string_view::npos) return std::string(model);
  static const std::vector<Name> names = read_names();
  const std::string wanted = squeeze(model);
  const auto found = std::ranges::find(names, wanted, &Name::first);
  return found == names.end() ? "" : found->second;
}

}  // namespace gpuplan
