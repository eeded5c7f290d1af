#include "input/text/gpu_name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"

namespace gpuplan {

namespace {

/// The name without "4x " in front or ":4" behind.
std::string_view without_count(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) return trim(text.substr(0, colon));
  std::size_t digits = 0;
  while (digits < text.size() && (is_digit(text[digits]) || text[digits] == '-')) ++digits;
  const std::string_view rest = trim(text.substr(digits));
  if (digits > 0 && !rest.empty() && (rest.front() == 'x' || rest.front() == 'X')) return trim(rest.substr(1));
  return text;
}

struct Sized {
  std::string stem;  ///< the name without its memory size
  std::string gigabytes;
};

/// Splits "H100 40 GB PCIe" and "H100 (40 GB) PCIe" into "H100 PCIe" and "40"; no gigabytes when the name holds no
/// size.
Sized split_size(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i]) || (i > 0 && std::string_view(" -_(").find(name[i - 1]) == std::string_view::npos)) continue;
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::size_t digits_end = end;
    if (end < name.size() && name[end] == ' ') ++end;
    const std::string unit = to_lower(name.substr(end, 3));
    const std::size_t length = unit.starts_with("gib") ? 3 : unit.starts_with("gb") ? 2 : 0;
    if (length == 0) continue;
    std::string_view before = trim(name.substr(0, i)), rest = trim(name.substr(end + length));
    if (before.ends_with('(') && rest.starts_with(')')) {
      before = trim(before.substr(0, before.size() - 1));
      rest = trim(rest.substr(1));
    }
    std::string stem(before);
    if (!stem.empty() && !rest.empty()) stem += ' ';
    stem += rest;
    return {std::move(stem), std::string(name.substr(i, digits_end - i))};
  }
  return {std::string(name), ""};
}

/// "RTX 6000 Pro" and "NVIDIA RTX PRO 6000" alike: words in lower case and in order, without makers.
std::vector<std::string> sorted_words(std::string_view name) {
  constexpr std::array<std::string_view, 5> kMakers = {"nvidia", "amd", "intel", "geforce", "instinct"};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" -_/()", at), name.size());
    std::string word = to_lower(name.substr(at, end - at));
    if (!word.empty() && std::ranges::find(kMakers, word) == kMakers.end()) words.push_back(std::move(word));
    at = end + 1;
  }
  std::ranges::sort(words);
  return words;
}

/// The one GPU that has these words for a name, in whatever order.
const Gpu* of_these_words(const Catalogue& catalogue, std::string_view name) {
  const std::vector<std::string> words = sorted_words(name);
  if (words.size() < 2) return nullptr;
  const auto is_called = [&](std::string_view one) { return sorted_words(one) == words; };
  const Gpu* found = nullptr;
  for (const Gpu& gpu : catalogue.gpus) {
    if (!is_called(gpu.name) && std::ranges::none_of(gpu.aliases, is_called)) continue;
    if (found != nullptr) return nullptr;
    found = &gpu;
  }
  return found;
}

/// "a100-pcie-80": a figure behind the name is the memory where a GPU has that much.
const Gpu* of_bare_memory(const Catalogue& catalogue, std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return nullptr;
  if (std::string_view(" -_").find(name[last]) == std::string_view::npos) return nullptr;
  const Gpu* whole = catalogue.find_gpu(std::string(name) + "GB");
  if (whole != nullptr) return whole;
  const Gpu* bare = catalogue.find_gpu(trim(name.substr(0, last)));
  const bool has_it = bare != nullptr && number_text(std::round(bare->memory / units::GiB)) == name.substr(last + 1);
  return has_it ? bare : nullptr;
}

/// GPUs whose name, or an alias of it, holds the text.
std::vector<const Gpu*> relatives(const Catalogue& catalogue, std::string_view text) {
  const std::string wanted = squeeze(text);
  std::vector<const Gpu*> found;
  if (wanted.size() < 2) return found;
  for (const Gpu& gpu : catalogue.gpus) {
    bool holds = squeeze(gpu.name).find(wanted) != std::string::npos;
    for (const std::string& alias : gpu.aliases) holds = holds || squeeze(alias).find(wanted) != std::string::npos;
    if (holds) found.push_back(&gpu);
  }
  return found;
}

/// GPUs whose names begin with the words of the text and go on: those of "A100" are no "A100X".
std::vector<const Gpu*> kin_of(const Catalogue& catalogue, std::string_view text) {
  std::vector<const Gpu*> kin;
  const std::string wanted = squeeze(text);
  if (std::ranges::none_of(wanted, is_digit)) return kin;  // "RTX" is a brand
  for (const Gpu& gpu : catalogue.gpus) {
    for (std::size_t blank = gpu.name.find(' '); blank != std::string::npos; blank = gpu.name.find(' ', blank + 1))
      if (squeeze(std::string_view(gpu.name).substr(0, blank)) == wanted) {
        kin.push_back(&gpu);
        break;
      }
  }
  return kin;
}

std::string list_of(const std::vector<const Gpu*>& gpus) {
  std::vector<std::string> names;
  for (const Gpu* gpu : gpus) {
    if (names.size() == 6) {
      names.emplace_back("...");
      break;
    }
    names.push_back(gpu->name + " (" + number_text(std::round(gpu->memory / units::GiB)) + " GB)");
  }
  return join(names, ", ");
}

/// "with 40 GB there are A100 SXM 40GB and A100 PCIe 40GB"; empty when no GPU of that vendor has so much.
std::string of_that_size(const Catalogue& catalogue, std::string_view vendor, double gigabytes) {
  std::vector<std::string> names;
  for (const Gpu& gpu : catalogue.gpus)
    if (gpu.vendor == vendor && std::round(gpu.memory / units::GiB) == gigabytes && names.size() < 4)
      names.push_back(gpu.name);
  if (names.empty()) return "";
  return "; with " + number_text(gigabytes) + " GB there " + (names.size() == 1 ? "is " : "are ") + listed(names);
}

}  // namespace

double gigabytes_in(std::string_view name) {
  const std::string digits = split_size(without_count(trim(name))).gigabytes;
  double value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

Result<GpuCount> find_gpu(const Catalogue& catalogue, std::string_view text) {
  if (const auto found = parse_gpu_count(catalogue, text)) return *found;

  const std::string_view name = without_count(trim(text));
  const std::string shown = printable(name, 60);
  if (name.empty()) return failure("expected a GPU such as H100 SXM or 4x RTX 4090, got '" + printable(text, 60) + "'");
  if (catalogue.find_gpu(name) != nullptr)
    return failure("expected a GPU count of at least 1, got '" + printable(text, 60) + "'");

  const auto as = [&](const Gpu& gpu) {
    std::string plain(text);
    return parse_gpu_count(catalogue, plain.replace(plain.find(name), name.size(), gpu.name));
  };
  for (const auto reread : {of_bare_memory, of_these_words})
    if (const Gpu* gpu = reread(catalogue, name); gpu != nullptr)
      if (const auto found = as(*gpu)) return *found;

  const Sized sized = split_size(name);
  if (!sized.gigabytes.empty()) {
    // Sold in one size only, which its name does not say.
    if (const Gpu* gpu = catalogue.find_gpu(sized.stem);
        gpu != nullptr && std::round(gpu->memory / units::GiB) == gigabytes_in(name))
      if (const auto found = as(*gpu)) return *found;
    const auto family = relatives(catalogue, sized.stem);
    if (!family.empty())
      return failure("there is no " + printable(sized.stem, 60) + " with " + sized.gigabytes + " GB; there are " +
                     list_of(family) + of_that_size(catalogue, family.front()->vendor, gigabytes_in(name)));
  }
  const auto family = relatives(catalogue, name);
  if (!family.empty()) return failure("'" + shown + "' matches several GPUs: " + list_of(family));

  std::vector<std::string_view> names;
  for (const Gpu& gpu : catalogue.gpus) {
    names.push_back(gpu.name);
    for (const std::string& alias : gpu.aliases) names.push_back(alias);
  }
  return failure("unknown GPU '" + shown + "'" + did_you_mean(name, names) + " (list: gpuplan gpus)");
}

Result<GpuFamily> find_gpus(const Catalogue& catalogue, std::string_view text) {
  auto found = find_gpu(catalogue, text);
  const std::string_view name = without_count(trim(text));
  if (found && squeeze(found->gpu->name) == squeeze(name)) return GpuFamily{{found->gpu}, found->count};
  std::vector<const Gpu*> kin = kin_of(catalogue, name);
  const bool another = found && std::ranges::find(kin, found->gpu) == kin.end();
  if (kin.size() < 2 || another) {
    if (!found) return std::unexpected(std::move(found.error()));
    return GpuFamily{{found->gpu}, found->count};
  }
  if (found) return GpuFamily{std::move(kin), found->count};
  // No GPU has this name alone: the number is read with one that is there.
  std::string one(text);
  one.replace(one.find(name), name.size(), kin.front()->name);
  const auto counted = find_gpu(catalogue, one);
  if (!counted) return std::unexpected(std::move(found.error()));
  return GpuFamily{std::move(kin), counted->count};
}

}  // namespace gpuplan
