#include "domain/market/price_date.h"

#include <algorithm>
#include <array>

namespace gpuplan {
namespace {

/// The number at `from`, `size` digits long.
std::optional<int> digits(std::string_view text, std::size_t from, std::size_t size) {
  if (text.size() < from + size) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(from, size)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

constexpr bool leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/// Days from the beginning of the calendar's year 1 to that of this one.
constexpr int days_before(int year) {
  const int past = year - 1;
  return past * 365 + past / 4 - past / 100 + past / 400;
}

}  // namespace

std::optional<int> day_number(std::string_view date) {
  constexpr std::array kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  constexpr int kMiddle = 15;
  const auto year = digits(date, 0, 4), month = digits(date, 5, 2), day = digits(date, 8, 2);
  if (!year || !month || *year < 1 || *month < 1 || *month > 12) return std::nullopt;
  const auto m = static_cast<std::size_t>(*month);
  const int length = kBefore[m] - kBefore[m - 1] + (m == 2 && leap(*year) ? 1 : 0);
  const int at = day.value_or(kMiddle);
  if (at < 1 || at > length) return std::nullopt;
  return days_before(*year) - days_before(1970) + kBefore[m - 1] + (m > 2 && leap(*year) ? 1 : 0) + at - 1;
}

int days_between(std::string_view from, std::string_view to) {
  constexpr int kMonth = 30, kMiddle = 15;  // good enough for what grows with their root
  if (months_of(from) == 0 || months_of(to) == 0) return 0;
  const auto day = [](std::string_view date) {
    return date.size() < 10 ? kMiddle : (date[8] - '0') * 10 + (date[9] - '0');
  };
  return std::max(0, (months_of(to) - months_of(from)) * kMonth + day(to) - day(from));
}

}  // namespace gpuplan
