#include "cli/prices/import_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "cli/prices/price_bytes.h"
#include "input/feeds/feed_names.h"
#include "input/text/csv.h"

namespace gpuplan::cli {
namespace {

bool can_be_list(const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings = {".csv", ".tsv", ".json", ".jsonl", ".zip", ".gz", ".ndjson"};
  const std::string lower = to_lower(name.substr(name.rfind('/') + 1));
  return !lower.starts_with('.') &&
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

/// "2026-11-20" in "prices_2026-11-20.csv" or "prices-20261120.csv"; the last one. Months alone count too.
std::string date_in(std::string_view name) {
  std::string best;
  const auto digits = [&](std::size_t at, std::size_t count) {
    if (at + count > name.size()) return false;
    return std::ranges::all_of(name.substr(at, count), is_digit);
  };
  for (std::size_t at = 0; at + 7 <= name.size(); ++at) {
    if ((at > 0 && is_digit(name[at - 1])) || !name.substr(at).starts_with("20") || !digits(at, 4)) continue;
    std::string date;
    const bool dashes = (name[at + 4] == '-' || name[at + 4] == '_') && digits(at + 5, 2);
    if (dashes && at + 10 <= name.size() && name[at + 7] == name[at + 4] && digits(at + 8, 2))
      date = std::string(name.substr(at, 4)) + '-' + std::string(name.substr(at + 5, 2)) + '-' +
             std::string(name.substr(at + 8, 2));
    else if (dashes && (at + 7 == name.size() || !is_digit(name[at + 7])))
      date = std::string(name.substr(at, 4)) + '-' + std::string(name.substr(at + 5, 2));
    else if (digits(at, 8) && (at + 8 == name.size() || !is_digit(name[at + 8])))
      date = std::string(name.substr(at, 4)) + '-' + std::string(name.substr(at + 4, 2)) + '-' +
             std::string(name.substr(at + 6, 2));
    if (!date.empty() && is_iso_date(date)) best = date;
  }
  return best;
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
  if (const std::string date = date_in(name.substr(name.rfind('/') + 1)); !date.empty()) return {date, "its name"};
  // Copies are new, whatever they hold: "skypilot-2022-12/aws.csv". The nearest folder counts.
  for (std::string_view folders = std::string_view(name).substr(0, name.rfind('/') + 1); folders.ends_with('/');) {
    folders.remove_suffix(1);
    const std::size_t begin = folders.rfind('/') + 1;  // npos + 1 is 0
    if (const std::string date = date_in(folders.substr(begin)); !date.empty()) return {date, "the name of its folder"};
    folders = folders.substr(0, begin);
  }
  const std::string changed = system.facts_of(name).modified;
  if (changed.empty() || changed > today) return {today, "today"};
  return {changed, "the day on which it was last changed"};
}

}  // namespace gpuplan::cli
