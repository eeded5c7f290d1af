#include "output/text/price_age.h"

#include <charconv>
#include <chrono>

#include "base/text.h"

namespace gpuplan {
namespace {

/// The number at `from`, `size` digits long.
std::optional<int> digits(std::string_view text, std::size_t from, std::size_t size) {
  if (text.size() < from + size) return std::nullopt;
  int value = 0;
  const char* const end = text.data() + from + size;
  const auto read = std::from_chars(text.data() + from, end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional<int>(value) : std::nullopt;
}

std::optional<std::chrono::sys_days> day_of(std::string_view date) {
  constexpr unsigned kMiddle = 15;
  const auto year = digits(date, 0, 4), month = digits(date, 5, 2), day = digits(date, 8, 2);
  if (!year || !month) return std::nullopt;
  const std::chrono::year_month_day whole{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                          std::chrono::day(day ? static_cast<unsigned>(*day) : kMiddle)};
  return whole.ok() ? std::optional(std::chrono::sys_days(whole)) : std::nullopt;
}

/// "12 days", "7 months", "2 years"; empty for a few days, and for prices of a month that is not over.
std::string age_text(int days) {
  constexpr double kMonth = 365.25 / 12;
  constexpr int kFew = 16, kMonths = 60, kYears = 730;
  if (days < kFew) return "";
  if (days < kMonths) return std::to_string(days) + " days";
  if (days < kYears) return fixed_text(days / kMonth, 0) + " months";
  return fixed_text(days / kMonth / 12, 0) + " years";
}

}  // namespace

std::optional<int> days_old(std::string_view as_of, std::string_view today) {
  const auto from = day_of(as_of), to = day_of(today);
  if (!from || !to) return std::nullopt;
  return *to > *from ? static_cast<int>((*to - *from).count()) : 0;
}

std::string price_age_words(std::string_view as_of, std::string_view today) {
  if (as_of.empty()) return "";
  const std::string text = "prices from " + printable(as_of, 20);
  const auto days = days_old(as_of, today);
  const std::string age = days ? age_text(*days) : std::string();
  return age.empty() ? text : text + ", " + age + " old";
}

std::string old_run_words(std::string_view as_of, std::string_view today, double limit) {
  const auto days = days_old(as_of, today);
  return !days || *days < limit ? std::string() : "the newest " + age_text(*days) + " old";
}

std::string old_price_words(std::string_view as_of, std::string_view today, double limit) {
  const auto days = days_old(as_of, today);
  if (!days || *days < limit) return "";
  const std::string age = age_text(*days);
  return "Prices are from " + printable(as_of, 20) + (age.empty() ? "" : ", " + age + " old") +
         ": look them up before you rent.";
}

}  // namespace gpuplan
