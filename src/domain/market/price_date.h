// Dates of prices, "2026-04" or "2026-04-15", as numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gpuplan {

inline constexpr double kDaysOfMonth = 365.25 / 12;

/// Months since year 0; 0 where there is no date.
inline int months_of(std::string_view date) {
  if (date.size() < 7) return 0;
  const auto digit = [&](std::size_t i) { return date[i] - '0'; };
  return (digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3)) * 12 + digit(5) * 10 + digit(6);
}

/// Days since 1970-01-01, of a month its middle; nullopt where it is no date.
std::optional<int> day_number(std::string_view date);

/// Days from one date to a later one, of months with 30 days; 0 where it is no later, or one is missing.
int days_between(std::string_view from, std::string_view to);

}  // namespace gpuplan
