#include "output/text/price_age.h"

#include <algorithm>

#include "base/text.h"
#include "domain/market/price_date.h"

namespace gpuplan {
namespace {

/// "12 days", "7 months", "2 years"; empty for a few days, and for prices of a month that is not over.
std::string age_text(int days) {
  constexpr int kFew = 16, kMonths = 60, kYears = 730;
  if (days < kFew) return "";
  if (days < kMonths) return std::to_string(days) + " days";
  if (days < kYears) return fixed_text(days / kDaysOfMonth, 0) + " months";
  return fixed_text(days / kDaysOfMonth / 12, 0) + " years";
}

}  // namespace

std::optional<int> days_old(std::string_view as_of, std::string_view today) {
  const auto from = day_number(as_of), to = day_number(today);
  if (!from || !to) return std::nullopt;
  return std::max(0, *to - *from);
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
