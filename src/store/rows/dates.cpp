#include "store/rows/dates.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace gpuplan {
namespace {

std::chrono::sys_days day_in(int packed) {
  const auto day = static_cast<unsigned>(std::max(packed % 100, 1));
  return std::chrono::year_month_day{std::chrono::year(packed / 10'000),
                                     std::chrono::month(static_cast<unsigned>(packed / 100 % 100)),
                                     std::chrono::day(day)};
}

}  // namespace

int packed_date(std::string_view date) {
  const auto part = [&](std::size_t from, std::size_t size) {
    int number = 0;
    if (date.size() < from + size) return 0;
    std::from_chars(date.data() + from, date.data() + from + size, number);
    return number;
  };
  return part(0, 4) * 10'000 + part(5, 2) * 100 + part(8, 2);
}

std::string date_text(std::int64_t packed) {
  const auto two = [](std::int64_t number) { return (number < 10 ? "-0" : "-") + std::to_string(number); };
  std::string year = std::to_string(packed / 10'000);
  year.insert(0, 4 - std::min<std::size_t>(year.size(), 4), '0');
  return year + two(packed / 100 % 100) + (packed % 100 > 0 ? two(packed % 100) : "");
}

int last_of(int packed) { return packed % 100 > 0 ? packed : packed + 99; }

int days_before(int packed, int days) {
  const std::chrono::year_month_day date(day_in(packed) - std::chrono::days(days));
  return int{date.year()} * 10'000 + static_cast<int>(unsigned{date.month()}) * 100 +
         static_cast<int>(unsigned{date.day()});
}

int week_of(int packed) {
  constexpr int kMondays = 3;  // 1970 began on a Thursday
  const auto days = day_in(packed).time_since_epoch().count() + kMondays;
  return static_cast<int>(days >= 0 ? days / 7 : (days - 6) / 7);
}

}  // namespace gpuplan
