#include "cli/prices/import_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "cli/prices/price_bytes.h"
#include "input/feeds/feed_names.h"

namespace gpuplan::cli {
namespace {

bool can_be_list(const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings = {".csv", ".tsv", ".json", ".jsonl", ".zip", ".gz", ".ndjson"};
  const std::string lower = to_lower(name.substr(name.rfind('/') + 1));
  return !lower.starts_with('.') &&
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

}  // namespace

Result<std::vector<ImportFile>> import_files(System& system, const std::vector<std::string>& words) {
  std::vector<ImportFile> files;
  for (const std::string& word : words) {
    if (word == "-" || is_address(word) || !system.facts_of(word).is_folder()) {
      files.push_back({word, word == "-" ? "" : provider_of_path(word), false});
      continue;
    }
    const auto below = system.files_below(word);
    if (!below) return failure(unreadable_words(below.error()), {word});
    const std::size_t before = files.size();
    for (const std::string& name : *below)
      if (can_be_list(name)) files.push_back({name, provider_of_path(name), true});
    if (files.size() == before) return failure("the folder has no price list (.csv, .json, .zip or .gz)", {word});
  }
  return files;
}

ListDate date_of_list(System& system, const std::string& name, const std::string& as_of, const std::string& today) {
  if (!as_of.empty()) return {as_of, "--as-of"};
  if (name == "-" || is_address(name)) return {today, "today"};
  if (const DateOfPath found = date_of_path(name); !found.date.empty())
    return {found.date, found.of_folder ? "the name of its folder" : "its name"};
  const std::string changed = system.facts_of(name).modified;
  if (changed.empty() || changed > today) return {today, "today"};
  return {changed, "the day on which it was last changed"};
}

}  // namespace gpuplan::cli
