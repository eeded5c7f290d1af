#include "input/feeds/rows/gpu_words.h"

#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace gpuplan {
namespace {

/// Words that say nothing of which GPU it is.
constexpr std::string_view kIdleWords[] = {"nvidia", "amd",  "instinct", "geforce", "tensor",  "core",
                                           "gpu",    "gpus", "nvlink",   "hgx",     "graphics"};

bool is_idle(std::string_view word) {
  for (const std::string_view idle : kIdleWords)
    if (iequals(word, idle)) return true;
  return false;
}

/// 80 of "80GB", "80G", "80GiB" and of a bare "80"; 0: no such word.
double gigabytes_of(std::string_view word, bool& unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || !(value > 0) || value > 10'000) return 0;
  const std::string_view rest = word.substr(static_cast<std::size_t>(end - word.data()));
  unit = iequals(rest, "g") || iequals(rest, "gb") || iequals(rest, "gib");
  return unit || rest.empty() ? value : 0;
}

/// Words between anything but letters, digits and points.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || c == '.') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// Takes "8x" off.
double take_gpu_count(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < 4 && is_digit(text[digits])) ++digits;
  const std::string_view rest = trim(text.substr(digits));
  if (digits == 0 || rest.size() < 2 || (rest.front() != 'x' && rest.front() != 'X')) return 0;
  if (rest[1] != ' ' && rest.size() == text.size()) return 0;
  double count = 0;
  for (const char digit : text.substr(0, digits)) count = count * 10 + (digit - '0');
  text = trim(rest.substr(1));
  return count;
}

}  // namespace

GpuWords gpu_words(const Catalogue& catalogue, std::string_view text) {
  GpuWords found;
  text = trim(text);
  found.gpus = take_gpu_count(text);
  found.gpu = std::string(text);
  const std::vector<std::string> words = words_in(text);
  std::string name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool unit = false;
    const double gib = gigabytes_of(words[i], unit);
    const bool unit_follows =
        gib > 0 && !unit && i + 1 < words.size() && (iequals(words[i + 1], "gb") || iequals(words[i + 1], "gib"));
    if (unit || unit_follows) {
      if (found.gib == 0) found.gib = gib;
      if (unit_follows) ++i;
      continue;
    }
    if (is_idle(words[i])) continue;
    if (!name.empty()) name += ' ';
    name += words[i];
  }
  if (catalogue.find_gpu(text) == nullptr && !name.empty() && catalogue.find_gpu(name) != nullptr) found.gpu = name;
  return found;
}

}  // namespace gpuplan
