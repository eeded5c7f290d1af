#include "cli/load/load_catalogue.h"

#include <array>
#include <set>
#include <vector>

#include "api/questions/facts.h"
#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/io/read_file.h"
#include "input/tables/catalogue_files.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan::cli {

namespace {

/// Rows that are compiled in and not in this file. Of lists of offers, machines or models nobody can say whether they
/// are complete: that they are others is said.
void tell_difference(System& system, const DataFile& file) {
  std::set<std::string_view> here;
  for (const std::string_view line : split(file.text, '\n')) here.insert(trim(line));
  std::string_view first;
  std::size_t missing = 0, rows = 0;
  for (const std::string_view line : split(embedded_data(file.name), '\n')) {
    if (trim(line).empty()) continue;
    ++rows;
    if (here.contains(trim(line))) continue;
    if (missing++ == 0) first = line;
  }
  if (missing == 0) return;
  constexpr std::size_t kShown = 60;
  say(system, "gpuplan: " + printable(file.label) + " has " + std::to_string(missing) + " of the " +
                  std::to_string(rows) + " lines that differ from gpuplan's own file or are missing there, first " +
                  printable(first, kShown));
}

}  // namespace

Result<Catalogue> load_catalogue(System& system, const std::string& folder) {
  if (folder.empty()) return api::read_facts();
  if (!system.facts_of(folder).is_folder())
    return wrong_use("--data '" + printable(folder) + "' is not a folder; expected one with gpus.csv, offers.csv, ...");
  std::vector<DataFile> files;
  std::array<std::string, kDataFiles.size()> texts;  // the tables point into them
  for (std::size_t i = 0; i < kDataFiles.size(); ++i) {
    std::string path = folder;
    path += '/';
    path += kDataFiles[i];
    if (system.facts_of(path).kind == FileFacts::Kind::kNothing) continue;
    auto text = read_file(system, path, CsvTable::kMaxBytes);
    if (!text) return std::unexpected(text.error());
    texts[i] = *std::move(text);
    files.push_back({kDataFiles[i], std::move(path), texts[i]});
  }
  if (files.empty()) return failure("the folder (--data) has none of gpus.csv, offers.csv, models.csv, ...", {folder});
  auto catalogue = api::read_facts(files);
  if (catalogue)
    for (const DataFile& file : files) tell_difference(system, file);
  return catalogue;
}

}  // namespace gpuplan::cli
