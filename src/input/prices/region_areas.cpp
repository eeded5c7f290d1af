#include "input/prices/region_areas.h"

#include <algorithm>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

struct Area {
  std::vector<std::string> names;  ///< as they are shown, the first one foremost
  std::vector<std::string> holds;  ///< names of other areas
  std::vector<std::string> regions;
};

void add(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& one : from)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

/// The regions of an area with those of all that it holds.
void collect(const std::vector<Area>& areas, const Area& area, std::vector<std::string>& regions) {
  add(area.regions, regions);
  for (const std::string& held : area.holds)
    for (const Area& other : areas)
      if (&other != &area && other.names.front() == held) collect(areas, other, regions);
}

std::vector<Area> read_areas() {
  std::vector<Area> areas;
  const auto table = CsvTable::parse(embedded_data("regions.csv"), "regions.csv");
  if (!table) return areas;  // tests/data would tell
  CsvReader cells(*table);
  const auto area = cells.column("area"), aliases = cells.column("aliases"), holds = cells.column("holds"),
             regions = cells.column("regions");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Area read{{std::string(cells.required(row, area))}, cells.list(row, holds, '|'), cells.list(row, regions, '|')};
    for (std::string& alias : cells.list(row, aliases, '|')) read.names.push_back(std::move(alias));
    areas.push_back(std::move(read));
  }
  std::vector<Area> whole = areas;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    whole[i].regions.clear();
    collect(areas, areas[i], whole[i].regions);
  }
  return whole;
}

const std::vector<Area>& areas() {
  static const std::vector<Area> all = read_areas();
  return all;
}

const Area* find_area(std::string_view name) {
  const std::string wanted = squeeze(name);
  for (const Area& one : areas())
    if (std::ranges::any_of(one.names, [&](const std::string& own) { return squeeze(own) == wanted; })) return &one;
  return nullptr;
}

}  // namespace

const std::vector<std::string>& regions_of(std::string_view area) {
  static const std::vector<std::string> none;
  const Area* found = find_area(area);
  return found != nullptr ? found->regions : none;
}

std::vector<std::string> region_areas() {
  std::vector<std::string> names;
  for (const Area& area : areas()) names.push_back(area.names.front());
  return names;
}

const std::vector<std::string>& all_regions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> regions;
    for (const Area& area : areas()) add(area.regions, regions);
    return regions;
  }();
  return all;
}

std::vector<std::string> regions_named(std::string_view text, const std::vector<Offer>& offers) {
  text = trim(text);
  const auto known = [&](std::string_view name) {
    return find_area(name) != nullptr ||
           std::ranges::any_of(offers, [&](const Offer& offer) { return iequals(offer.region, name); });
  };
  if (text.find(',') == std::string_view::npos || known(text)) return {std::string(text)};
  const std::vector<std::string_view> parts = split(text, ',');
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 < parts.size() && !parts[i].empty() && !parts[i + 1].empty()) {
      const std::string both = std::string(parts[i]) + ", " + std::string(parts[i + 1]);
      const Area* country = find_area(parts[i + 1]);
      if (known(both) || (!known(parts[i]) && country != nullptr && country->holds.empty())) {
        names.push_back(both);
        ++i;
        continue;
      }
    }
    names.emplace_back(parts[i]);
  }
  return names;
}

}  // namespace gpuplan
