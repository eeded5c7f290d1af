#include "input/prices/region_areas.h"

#include <algorithm>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

struct Area {
  std::vector<std::string> names;  ///< as they are shown, the first one foremost
  std::vector<std::string> regions;
};

std::vector<Area> read_areas() {
  std::vector<Area> areas;
  const auto table = CsvTable::parse(embedded_data("regions.csv"), "regions.csv");
  if (!table) return areas;  // tests/data would tell
  CsvReader cells(*table);
  const auto area = cells.column("area"), aliases = cells.column("aliases"), regions = cells.column("regions");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Area read{{std::string(cells.required(row, area))}, cells.list(row, regions, '|')};
    for (std::string& alias : cells.list(row, aliases, '|')) read.names.push_back(std::move(alias));
    areas.push_back(std::move(read));
  }
  return areas;
}

const std::vector<Area>& areas() {
  static const std::vector<Area> all = read_areas();
  return all;
}

}  // namespace

const std::vector<std::string>& regions_of(std::string_view area) {
  static const std::vector<std::string> none;
  const std::string wanted = squeeze(area);
  for (const Area& one : areas())
    if (std::ranges::any_of(one.names, [&](const std::string& name) { return squeeze(name) == wanted; }))
      return one.regions;
  return none;
}

std::vector<std::string> region_areas() {
  std::vector<std::string> names;
  for (const Area& area : areas()) names.push_back(area.names.front());
  return names;
}

}  // namespace gpuplan
