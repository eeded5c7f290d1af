#include "input/feeds/rows/gpu_namesakes.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace gpuplan {
namespace {

/// 79.6 and 85.9 are both 80.
constexpr double kLeastOfMemory = 0.88, kMostOfMemory = 1.09;

/// In lower case, between blanks and signs.
std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" -_/()", at), name.size());
    if (end > at) words.push_back(to_lower(name.substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

constexpr std::string_view kLink = "nvlink";

/// Takes all of them off; whether there was one.
bool take_links(std::string& lower) {
  bool any = false;
  for (std::size_t at = lower.find(kLink); at != std::string::npos; at = lower.find(kLink)) {
    lower.erase(at, kLink.size());
    any = true;
  }
  return any;
}

std::string_view named_in(std::string_view lower) {
  for (const std::string_view form : {"sxm", "nvl", "pcie"})
    if (lower.find(form) != std::string_view::npos) return form;
  return "";
}

}  // namespace

bool has_memory(const Gpu& gpu, double gib) {
  const double share = gib / (gpu.memory / units::GiB);
  return share >= kLeastOfMemory && share <= kMostOfMemory;
}

std::vector<const Gpu*> gpu_namesakes(const Catalogue& catalogue, std::string_view name, double gib) {
  std::vector<const Gpu*> found;
  const std::vector<std::string> words = name_words(name);
  if (words.size() < 2 || gib <= 0) return found;
  for (const Gpu& gpu : catalogue.gpus) {
    const std::vector<std::string> its = name_words(gpu.name);
    const auto stands = [&](const std::string& word) { return std::ranges::find(its, word) != its.end(); };
    if (has_memory(gpu, gib) && std::ranges::all_of(words, stands)) found.push_back(&gpu);
  }
  return found;
}

std::string form_factor_in(std::string_view words) {
  std::string lower = to_lower(words);
  bool joined = lower.find("hgx") != std::string::npos;
  joined = take_links(lower) || joined;
  if (const std::string_view form = named_in(lower); !form.empty()) return std::string(form);
  // What nvidia-smi calls the one on a board; the card has HBM2e.
  joined = joined || lower.find("h100 80gb hbm3") != std::string::npos;
  return joined ? "sxm" : "";
}

std::string named_form_factor(std::string_view words) {
  std::string lower = to_lower(words);
  take_links(lower);
  return std::string(named_in(lower));
}

bool forms_differ(std::string_view a, std::string_view b) {
  const auto is_board = [](std::string_view form) { return form == "sxm"; };
  return !a.empty() && !b.empty() && is_board(a) != is_board(b);
}

std::string stem_of(std::string_view name) {
  std::string stem;
  for (const std::string_view word : split(name, ' ')) {
    const std::string lower = to_lower(word);
    if (lower.starts_with("sxm") || lower == "pcie" || lower == "nvl" || lower.ends_with("gb") || lower == "hbm2e")
      continue;
    if (!stem.empty()) stem += ' ';
    stem += word;
  }
  return stem;
}

}  // namespace gpuplan
