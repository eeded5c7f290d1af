#include "input/tables/catalogue_files.h"

#include <algorithm>
#include <utility>

#include "input/prices/api_prices.h"
#include "input/prices/interruption_table.h"
#include "input/prices/offer_table.h"
#include "input/prices/price_spreads.h"
#include "input/tables/assumptions.h"
#include "input/tables/complete.h"
#include "input/tables/constants.h"
#include "input/tables/efficiency.h"
#include "input/tables/engines.h"
#include "input/tables/frameworks.h"
#include "input/tables/hardware.h"
#include "input/tables/links.h"
#include "input/tables/models.h"
#include "input/tables/problems.h"

namespace gpuplan {
namespace {

using Read = Result<void> (*)(std::string_view text, std::string_view file, Catalogue& catalogue);

/// How each table is read, in the order of kDataFiles.
constexpr std::array<Read, kDataFiles.size()> kReaders = {read_gpus,
                                                          read_nodes,
                                                          read_models,
                                                          read_frameworks,
                                                          read_framework_limits,
                                                          read_offers,
                                                          read_interruptions,
                                                          read_efficiencies,
                                                          read_training_software,
                                                          read_optimizers,
                                                          read_training_constants,
                                                          read_engines,
                                                          read_generation_constants,
                                                          read_practice_constants,
                                                          read_error_components,
                                                          read_answer_constants,
                                                          read_assumptions,
                                                          read_links,
                                                          read_known_problems,
                                                          read_api_prices,
                                                          read_price_spreads};

}  // namespace

Result<Catalogue> read_tables(std::span<const DataFile> files) {
  Catalogue catalogue;
  for (std::size_t i = 0; i < kDataFiles.size(); ++i) {
    for (const DataFile& file : files) {
      if (file.name != kDataFiles[i]) continue;
      if (auto read = kReaders[i](file.text, file.label, catalogue); !read)
        return std::unexpected(std::move(read.error()));
    }
  }
  return catalogue;
}

Result<Catalogue> parse_catalogue(std::span<const DataFile> files) {
  const auto label = [&](std::string_view name) {
    const auto file = std::ranges::find(files, name, &DataFile::name);
    return file != files.end() ? std::string_view(file->label) : name;
  };
  for (const std::string_view name : kDataFiles)
    if (std::ranges::find(files, name, &DataFile::name) == files.end())
      return failure("there is no table of this name", {std::string(name)});
  auto catalogue = read_tables(files);
  if (!catalogue) return catalogue;
  const auto complete = check_complete(*catalogue, {.efficiency = label("efficiency.csv"),
                                                    .software = label("training_software.csv"),
                                                    .engines = label("engines.csv"),
                                                    .links = label("links.csv")});
  if (!complete) return std::unexpected(complete.error());
  return catalogue;
}

}  // namespace gpuplan
