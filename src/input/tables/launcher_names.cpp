#include "input/tables/launcher_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

/// A table compiled in; without its rows where it can not be read, which tests/data would tell.
template <class Row>
std::vector<Row> embedded_rows(std::string_view file,
                               Result<std::vector<Row>> (*read)(std::string_view, std::string_view)) {
  auto rows = read(embedded_data(file), file);
  return rows ? *std::move(rows) : std::vector<Row>{};
}

}  // namespace

Result<std::vector<LauncherNames>> read_launcher_names(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto gpu = cells.column("gpu"), skypilot = cells.column("skypilot"), dstack = cells.column("dstack"),
             vast = cells.column("vast"), runpod = cells.column("runpod"), slurm = cells.column("slurm"),
             source = cells.column("source"), as_of = cells.column("as_of");
  std::vector<LauncherNames> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto text_of = [&](CsvReader::Column column) { return std::string(cells.text(row, column)); };
    LauncherNames names{std::string(cells.required(row, gpu)),
                        text_of(skypilot),
                        text_of(dstack),
                        text_of(vast),
                        text_of(runpod),
                        text_of(slurm)};
    cells.required(row, source);
    cells.date(row, as_of);
    if (std::ranges::find(rows, names.gpu, &LauncherNames::gpu) != rows.end()) cells.fail_cell(row, gpu, "given once");
    rows.push_back(std::move(names));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return rows;
}

Result<std::vector<LauncherImage>> read_launcher_images(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto launcher = cells.column("launcher"), framework = cells.column("framework"),
             vendor = cells.column("vendor"), gpus = cells.column("gpus"),
             least = cells.column("least_compute_capability"), image = cells.column("image"),
             source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kNewest = 100;
  std::vector<LauncherImage> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    rows.push_back({std::string(cells.required(row, launcher)), std::string(cells.required(row, framework)),
                    std::string(cells.required(row, vendor)), cells.list(row, gpus, '|'),
                    cells.number(row, least, 0, kNewest), std::string(cells.required(row, image))});
    cells.required(row, source);
    cells.date(row, as_of);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return rows;
}

const LauncherNames* launcher_names(std::string_view gpu) {
  static const std::vector<LauncherNames> all = embedded_rows("launcher_names.csv", &read_launcher_names);
  const auto row = std::ranges::find(all, gpu, &LauncherNames::gpu);
  return row == all.end() ? nullptr : &*row;
}

std::string skypilot_name(const LauncherNames& names, std::string_view provider, std::string_view instance, int gpus) {
  std::string_view usual, of_provider, of_count;
  const std::string counted = std::string(provider) + "/" + std::to_string(gpus);
  for (const std::string_view part : split(names.skypilot, '|')) {
    const std::size_t colon = part.find(':');
    const std::string_view whose = colon == std::string_view::npos ? "" : part.substr(0, colon);
    const std::string_view name = colon == std::string_view::npos ? part : part.substr(colon + 1);
    if (whose.empty()) usual = name;
    else if (whose == provider) of_provider = name;
    else if (whose == counted) of_count = name;
  }
  const std::string_view name = !of_count.empty() ? of_count : !of_provider.empty() ? of_provider : usual;
  return std::string(name == "{instance}" ? instance : name);
}

std::string_view launcher_image(std::string_view launcher, const Gpu& gpu, std::string_view framework) {
  static const std::vector<LauncherImage> all = embedded_rows("launcher_images.csv", &read_launcher_images);
  const auto row = std::ranges::find_if(all, [&](const LauncherImage& image) {
    const std::vector<std::string_view> launchers = split(image.launcher, '|');
    return (image.launcher == "*" || std::ranges::find(launchers, launcher) != launchers.end()) &&
           (image.framework == framework || image.framework == "*") && image.vendor == gpu.vendor &&
           (image.gpus.empty() || std::ranges::find(image.gpus, gpu.name) != image.gpus.end()) &&
           gpu.compute_capability >= image.least_capability;
  });
  return row == all.end() ? std::string_view{} : row->image;
}

}  // namespace gpuplan
