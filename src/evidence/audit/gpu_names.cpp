#include "evidence/audit/gpu_names.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan::audit {
namespace {

/// The words of a name that a key is; empty: none are.
std::string words_of(std::string_view name, const std::string& key) {
  std::string so_far, written;
  for (const std::string_view word : split(name, ' ')) {
    so_far += squeeze(word);
    written += (written.empty() ? "" : " ") + std::string(word);
    if (so_far == key) return written;
  }
  return "";
}

/// "A10" is not the beginning of "A100".
bool begins_word(const Gpu& gpu, const std::string& key) {
  const auto good = [&](std::string_view name) {
    const std::string squeezed = squeeze(name);
    return squeezed.starts_with(key) && (squeezed.size() == key.size() || !is_digit(squeezed[key.size()]) ||
                                         !is_digit(key.back()) || !words_of(name, key).empty());
  };
  return good(gpu.name) || std::ranges::any_of(gpu.aliases, good);
}

}  // namespace

const std::vector<const Gpu*>& GpuNames::named(const std::string& key) {
  const auto [found, is_new] = named_.try_emplace(key);
  if (is_new && !key.empty())
    for (const Gpu& gpu : catalogue_.gpus)
      if (begins_word(gpu, key)) found->second.push_back(&gpu);
  return found->second;
}

std::string GpuNames::written(const std::string& key) {
  for (const Gpu* gpu : named(key)) {
    if (std::string words = words_of(gpu->name, key); !words.empty()) return words;
    for (const std::string& alias : gpu->aliases)
      if (std::string words = words_of(alias, key); !words.empty()) return words;
  }
  return key;
}

}  // namespace gpuplan::audit
