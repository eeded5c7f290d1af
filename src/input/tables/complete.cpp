#include "input/tables/complete.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "model/compute.h"

namespace gpuplan {
namespace {

constexpr const char* kWhatToDo = "; take it from the table that gpuplan brings, or leave the file out of the folder";

std::unexpected<Error> no_row(std::string_view file, const std::string& what) {
  return failure("no row for " + what + kWhatToDo, {std::string(file)});
}

/// GPUs read the row of their own generation and memory; `*` is for none of the catalogue.
Result<void> check_efficiencies(const Catalogue& catalogue, std::string_view file) {
  for (const Gpu& gpu : catalogue.gpus) {
    if (efficiency_of(catalogue, gpu).architecture == gpu.architecture) continue;
    return no_row(file, "architecture '" + printable(gpu.architecture, 60) + "' with " +
                            printable(gpu.memory_type, 60) + ", which " + printable(gpu.name, 60) + " of gpus.csv has");
  }
  return {};
}

template <class Row>
bool has_row(const std::vector<Row>& rows, const std::string& name) {
  return std::ranges::find(rows, name, &Row::name) != rows.end();
}

Result<void> check_frameworks(const Catalogue& catalogue, const TableLabels& labels) {
  for (const Framework& framework : catalogue.frameworks) {
    const std::string name = "'" + printable(framework.name, 60) + "'";
    if (framework.trains && !has_row(catalogue.training_software, framework.name))
      return no_row(labels.software, name + ", which trains by frameworks.csv");
    if (framework.generates && !has_row(catalogue.engines, framework.name))
      return no_row(labels.engines, name + ", which generates by frameworks.csv");
  }
  return {};
}

/// The bounds of rows are the only places where another row may begin: between two of them nothing changes.
Result<void> check_links(const Catalogue& catalogue, std::string_view file) {
  std::vector<double> speeds{0};
  std::vector<int> counts{1};
  for (const LinkEfficiency& row : catalogue.links) {
    for (const BytesPerSecond bound : {row.least, row.below})
      if (std::isfinite(bound.value)) speeds.push_back(bound.value);
    counts.push_back(row.least_gpus);
    if (row.most_gpus < std::numeric_limits<int>::max()) counts.push_back(row.most_gpus + 1);
  }
  for (const auto& path : Names<LinkPath>::entries)
    for (const double speed : speeds)
      for (const int gpus : counts) {
        if (gpus > LinkEfficiency{}.most_gpus) continue;
        const auto rows = std::ranges::count_if(catalogue.links, [&](const LinkEfficiency& row) {
          return row.path == path.value && row.fits(BytesPerSecond{speed}, gpus);
        });
        if (rows == 1) continue;
        const std::string what = "path '" + std::string(path.name) + "' at " + number_text(speed / 1e9) +
                                 " GB/s with " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
        if (rows == 0) return no_row(file, what);
        return failure("several rows for " + what + "; each speed and number of GPUs has one", {std::string(file)});
      }
  return {};
}

}  // namespace

Result<void> every_row(std::string_view file, std::span<const std::string_view> missing, std::string_view kind) {
  if (missing.empty()) return {};
  std::string names;
  for (const std::string_view name : missing.first(std::min<std::size_t>(missing.size(), 5)))
    names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
  if (missing.size() > 5) names += " and " + std::to_string(missing.size() - 5) + " more";
  return no_row(file, names + ", " + std::string(kind));
}

Result<void> check_complete(const Catalogue& catalogue, const TableLabels& labels) {
  if (auto good = check_efficiencies(catalogue, labels.efficiency); !good) return good;
  if (auto good = check_frameworks(catalogue, labels); !good) return good;
  return check_links(catalogue, labels.links);
}

}  // namespace gpuplan
