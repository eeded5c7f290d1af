#include "input/feeds/feed_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

/// Parts of a path, the last one first.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t cut = path.find_last_of("/\\");
    const std::string_view part = cut == std::string_view::npos ? path : path.substr(cut + 1);
    if (!part.empty()) parts.push_back(part);
    path = cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
  }
  return parts;
}

std::vector<std::string_view> words_of(std::string_view stem) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < stem.size();) {
    const std::size_t end = std::min(stem.find_first_of("_- ", at), stem.size());
    if (end != at) words.push_back(stem.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string provider_of_path(std::string_view path) {
  const auto parts = parts_of(path);
  if (parts.empty()) return "";
  const std::string_view stem = parts[0].substr(0, parts[0].find('.', 1));
  if (const auto known = known_provider(stem); !known.empty()) return std::string(known);
  // "v8/aws/vms.csv", "v3/aws/20261101/catalog.zip": the folder tells where the file bears the same name for all.
  constexpr std::size_t kDepth = 2;
  if (stem == "vms" || stem == "catalog")
    for (std::size_t i = 1; i <= kDepth && i < parts.size(); ++i)
      if (const auto known = known_provider(parts[i]); !known.empty()) return std::string(known);
  // "v5_aws_vms", "prime-intellect-offers": one word of it, or two that stand together.
  const std::vector<std::string_view> words = words_of(stem);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (const auto known = known_provider(std::string(words[i]).append(words[i + 1])); !known.empty())
      return std::string(known);
  constexpr std::size_t kShortest = 3;  // "do" is a word
  for (const std::string_view word : words)
    if (const auto known = known_provider(word); !known.empty() && word.size() >= kShortest) return std::string(known);
  return "";
}

std::string date_in_name(std::string_view name) {
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

DateOfPath date_of_path(std::string_view path) {
  if (std::string date = date_in_name(path.substr(path.rfind('/') + 1)); !date.empty()) return {std::move(date)};
  // Copies are new, whatever they hold: "skypilot-2022-12/aws.csv". The nearest folder counts.
  for (std::string_view folders = path.substr(0, path.rfind('/') + 1); folders.ends_with('/');) {
    folders.remove_suffix(1);
    const std::size_t begin = folders.rfind('/') + 1;  // npos + 1 is 0
    if (std::string date = date_in_name(folders.substr(begin)); !date.empty()) return {std::move(date), true};
    folders = folders.substr(0, begin);
  }
  return {};
}

}  // namespace gpuplan
