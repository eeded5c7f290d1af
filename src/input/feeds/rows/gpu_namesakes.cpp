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

}  // namespace gpuplan
