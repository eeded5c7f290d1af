#include "input/feeds/formats/list_gpu.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/units.h"
#include "input/text/gpu_name.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 3> kListTimes = {"x", "X", "\xC3\x97"};

/// The whole number that a text is; 0: it is none.
double list_count(std::string_view text) {
  if (text.empty() || text.size() > 4 || !std::ranges::all_of(text, is_digit)) return 0;
  double value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value;
}

/// Takes "8x " or " x8" or ":8" off.
double take_count(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  const std::string_view behind = trim(text.substr(digits.size()));
  for (const std::string_view times : kListTimes)
    if (behind.starts_with(times) && list_count(digits) > 0) {
      text = trim(behind.substr(times.size()));
      return list_count(digits);
    }
  const std::size_t last = text.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == text.size()) return 0;
  const double count = list_count(text.substr(last + 1));
  const std::string_view before = text.substr(0, last + 1);
  if (before.ends_with(':')) {
    text = trim(before.substr(0, before.size() - 1));
    return count;
  }
  for (const std::string_view times : kListTimes)
    if (before.ends_with(" " + std::string(times))) {
      text = trim(before.substr(0, before.size() - times.size()));
      return count;
    }
  return 0;
}

/// Without brackets and blanks in a row.
std::string spaced(std::string_view text) {
  std::string flat;
  for (const char c : text) {
    const char plain = c == '(' || c == ')' || c == '[' || c == ']' ? ' ' : c;
    if (plain != ' ' || (!flat.empty() && flat.back() != ' ')) flat += plain;
  }
  return flat;
}

/// Takes "80 GB" or "(80GB)" off, wherever it stands.
double take_memory(std::string& name) {
  std::string flat = spaced(name);
  const double gib = gigabytes_in(flat);
  if (gib <= 0) return 0;
  const std::string figure = number_text(gib);
  std::size_t at = flat.find(figure);
  // "RTX A4000 4 GB": the figure that gigabytes stand behind.
  while (at != std::string::npos) {
    std::size_t end = at + figure.size();
    if (end < flat.size() && flat[end] == ' ') ++end;
    const std::string unit = to_lower(flat.substr(end, 3));
    const std::size_t length = unit.starts_with("gib") ? 3 : unit.starts_with("gb") ? 2 : 0;
    if (length > 0) {
      flat.erase(at, end + length - at);
      name = trim(flat);
      while (name.ends_with('-') || name.ends_with('_') || name.ends_with(' ')) name.pop_back();
      return gib;
    }
    at = flat.find(figure, at + 1);
  }
  return 0;
}

}  // namespace

void read_list_gpu(std::string_view cell, const Catalogue& catalogue, FeedRow& row) {
  std::string_view text = trim(cell);
  row.gpu = text;
  // An alias with a size in it ("A100 80GB", "GH200 480GB" by its CPU's) means one GPU.
  if (const Gpu* known = catalogue.find_gpu(text); known != nullptr) {
    if (gigabytes_in(spaced(text)) > 0) row.gpu_memory_gib = known->memory / units::GiB;
    return;
  }
  if (const double count = take_count(text); count > 0) row.gpus = count;
  std::string name(text);
  if (catalogue.find_gpu(name) == nullptr) {
    const double memory = take_memory(name);
    if (memory > 0) row.gpu_memory_gib = memory;
  }
  // "Nvidia T4", "GeForce RTX 4090".
  for (const std::string_view maker : {"nvidia ", "amd ", "tesla ", "geforce ", "instinct "})
    if (catalogue.find_gpu(name) == nullptr && to_lower(name).starts_with(maker)) name.erase(0, maker.size());
  row.hints.append(" ").append(cell);
  row.gpu = std::move(name);
}

}  // namespace gpuplan
