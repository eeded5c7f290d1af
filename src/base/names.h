// Names of enumerations: each list exists once, next to its enumeration, and serves parsing, printing,
// messages and help.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpuplan {

template <class E>
struct Named {
  E value;
  std::string_view name;
};

/// Specialised beside each enumeration: `static constexpr std::array entries = {Named<E>{E::a, "a"}, ...};`
/// The first name of a value is the one printed; further names of the same value are accepted as input.
template <class E>
struct Names;

template <class E>
concept HasNames = requires { Names<E>::entries; };

template <HasNames E>
constexpr std::string_view name_of(E value) {
  for (const auto& entry : Names<E>::entries)
    if (entry.value == value) return entry.name;
  return "?";
}

/// Every name, other names of the same value too, in order.
template <HasNames E>
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : Names<E>::entries) names.push_back(entry.name);
  return names;
}

/// Looks a name up without regard to case.
template <HasNames E>
constexpr std::optional<E> from_name(std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (const auto& entry : Names<E>::entries) {
    if (entry.name.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; same && i < name.size(); ++i) same = lower(entry.name[i]) == lower(name[i]);
    if (same) return entry.value;
  }
  return std::nullopt;
}

}  // namespace gpuplan
