// Small steps through a line of a log: literals and numbers are taken off the front of what is left of it. Written by
// hand because logs are read at hundreds of megabytes a second.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace gpuplan::scan {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using gpuplan::is_digit;

[[gnu::always_inline]] constexpr void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Takes `literal` off the front, if it stands there. Inline: a call would cost more than to compare the few letters.
[[gnu::always_inline]] constexpr bool take(std::string_view& text, std::string_view literal) {
  if (text.size() < literal.size() || __builtin_memcmp(text.data(), literal.data(), literal.size()) != 0) return false;
  text.remove_prefix(literal.size());
  return true;
}

/// What stands before `end`, both taken off; nothing when there is no `end`.
constexpr std::optional<std::string_view> take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + 1);
  return before;
}

/// Where `words` stand, looked for by the one of their letters that is rare in logs.
constexpr std::size_t find(std::string_view text, std::string_view words, char rare) {
  const std::size_t before = words.find(rare);
  for (std::size_t at = text.find(rare, before); at != std::string_view::npos; at = text.find(rare, at + 1))
    if (text.substr(at - before).starts_with(words)) return at - before;
  return std::string_view::npos;
}

/// A number of any program: "3.79", "1.04E+01", "nan", "-inf", "NaN", "Infinity". The nearest double.
bool take_number(std::string_view& text, double& value);
/// The same with separators: "528,855".
bool take_count(std::string_view& text, double& value);
/// A number behind spaces.
inline bool take_next(std::string_view& text, double& value) {
  skip_spaces(text);
  return take_number(text, value);
}
/// A count with the suffixes of programs for people: "8,030,261,248", "124.40M", "1.5B", "9.89e+14".
std::optional<double> amount(std::string_view text);
/// The number that the text begins with.
std::optional<double> number(std::string_view text);

/// "2026-07-21 15:57:42,774" and "2026-07-21T15:57:42.774Z" at the front, taken off: seconds since 1970, as if in UTC.
bool take_time(std::string_view& text, double& seconds);

}  // namespace gpuplan::scan
