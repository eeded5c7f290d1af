#include "evidence/audit/figures/gpu_names.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>

#include "base/digits/decimal.h"
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

int gpus_of_package(const Gpu& gpu) {
  constexpr std::string_view kPart = "1/";  // "1/2 of an OAM package"
  const std::string_view form = gpu.form_factor;
  if (form.starts_with(kPart) && form.size() > kPart.size() && is_digit(form[kPart.size()]))
    return form[kPart.size()] - '0';
  // A superchip has two of them.
  return form.contains("NVL72") ? 2 : 1;
}

std::vector<double> sizes_of(const Gpu& gpu) {
  const double card = std::round(gpu.memory / units::GiB);
  std::vector<double> sizes{card};
  if (const int together = gpus_of_package(gpu); together > 1) sizes.push_back(card * together);
  for (const std::string& alias : gpu.aliases)
    for (const std::string_view word : split(alias, ' ')) {
      const std::size_t from = word.rfind('-') == std::string_view::npos ? 0 : word.rfind('-') + 1;
      double size = 0;
      const auto end = read_number(word.data() + from, word.data() + word.size(), size);
      const std::string_view unit = word.substr(static_cast<std::size_t>(end.ptr - word.data()));
      if (end.ec == std::errc() && (iequals(unit, "gb") || iequals(unit, "gib") || iequals(unit, "g")))
        sizes.push_back(size);
    }
  return sizes;
}

bool has_size(const Gpu& gpu, double gigabytes) {
  constexpr double kSameSize = 0.08;
  return std::ranges::any_of(
      sizes_of(gpu), [&](double size) { return std::fabs(size - gigabytes) <= std::max(kSameSize * size, 1.0); });
}

NamedModel model_in(const Catalogue& catalogue, std::string_view text) {
  constexpr std::size_t kName = 5;
  NamedModel found;
  const auto end_of = [&](std::size_t at) { return std::min(text.find(' ', at), text.size()); };
  const auto named = [&](std::size_t from, std::size_t to) -> NamedModel {
    while (to > from && !is_letter(text[to - 1]) && !is_digit(text[to - 1]) && text[to - 1] != '+') --to;
    while (from < to && !is_letter(text[from])) ++from;
    if (to - from < kName) return {};
    std::string name(text.substr(from, to - from));
    std::ranges::replace(name, ' ', '-');
    return {catalogue.find_model(name), from, to};
  };
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = end_of(from);
    // "Mixtral 8x7B"
    NamedModel model;
    if (end < text.size()) model = named(from, end_of(end + 1));
    if (model.model == nullptr) model = named(from, end);
    from = end + 1;
    if (model.model == nullptr) continue;
    if (found.model == nullptr && found.from == found.to) found = model;
    else if (found.model != model.model) found.model = nullptr;
    from = std::max(from, model.to + 1);
  }
  return found;
}

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
