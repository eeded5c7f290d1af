#include "input/feeds/formats/own_amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/own_columns.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNoNumber = "a price that is no number", kTwoWays = "a price that reads in two ways (1,234)";

/// Cells that say that nothing is asked.
bool says_none(std::string_view lower) {
  constexpr std::array<std::string_view, 16> kNone = {
      "-",   "--",      "\xE2\x80\x93", "\xE2\x80\x94", "n/a",        "na",          "none",       "null",
      "nan", "unknown", "tbd",          "sold out",     "contact us", "unavailable", "on request", "not available"};
  return lower.empty() || std::ranges::find(kNone, lower) != kNone.end();
}

/// Dashes between two figures.
std::size_t dash_at(std::string_view text) {
  for (const std::string_view dash : {"-", "\xE2\x80\x93", "\xE2\x80\x94", ".."})
    if (text.starts_with(dash)) return dash.size();
  return 0;
}

std::size_t sign_at(std::string_view text, std::string& currency) {
  for (const std::string_view sign : {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xE2\x82\xB9", "\x80", "\xA3"})
    if (text.starts_with(sign)) {
      currency = currency_of(sign);
      return sign.size();
    }
  return 0;
}

std::string_view word_at(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_letter(text[length])) ++length;
  return text.substr(0, length);
}

/// A word beside the figure; false: it says something else.
bool take_word(std::string_view word, OwnPrice& price, double& share) {
  const std::string lower = to_lower(word);
  if (const std::string_view code = currency_of(lower); !code.empty()) price.currency = code;
  else if (hours_of(lower) > 0) price.hours = hours_of(lower);
  else if (lower == "gpu" || lower == "gpus") price.per_gpu = true;
  else if (lower == "ct" || lower == "cent" || lower == "cents") share = 0.01;
  else
    return lower == "per" || lower == "a" || lower == "an" || lower == "from" || lower == "ab" || lower == "ca" ||
           lower == "pro" || lower == "about" || lower == "us";
  return true;
}

}  // namespace

OwnPrice read_own_price(std::string_view cell, LooseNumbers& numbers) {
  OwnPrice price;
  if (says_none(to_lower(cell))) return price;
  const auto fail = [](std::string_view problem) {
    OwnPrice none;
    none.problem = problem;
    return none;
  };
  double share = 1;
  std::vector<double> figures;
  bool dashed = false;
  for (std::string_view rest = cell; !rest.empty();) {
    if (const std::size_t dash = figures.size() == 1 && !dashed ? dash_at(rest) : 0; dash > 0) {
      dashed = true;
      rest.remove_prefix(dash);
      continue;
    }
    if (const std::size_t sign = sign_at(rest, price.currency); sign > 0) {
      rest.remove_prefix(sign);
      continue;
    }
    if (const std::string_view word = word_at(rest); !word.empty()) {
      if (!take_word(word, price, share)) return fail(kNoNumber);
      rest.remove_prefix(word.size());
      continue;
    }
    if (const auto number = numbers.read(rest)) {
      if (number->two_ways) return fail(kTwoWays);
      if (figures.size() == (dashed ? 2U : 1U)) return fail(kNoNumber);
      figures.push_back(number->value);
      rest.remove_prefix(number->length);
      continue;
    }
    constexpr std::string_view kPassed = " /~().*+\xC2\xA0\t";
    if (kPassed.find(rest.front()) == std::string_view::npos) return fail(kNoNumber);
    rest.remove_prefix(1);
  }
  if (figures.empty() || (dashed && figures.size() != 2)) return fail(kNoNumber);
  price.range = figures.size() == 2;
  price.value = (price.range ? std::sqrt(figures[0] * figures[1]) : figures[0]) * share;
  if (!std::isfinite(price.value)) return fail(kNoNumber);
  return price;
}

double read_own_number(std::string_view cell, LooseNumbers& numbers, bool low_end, bool& known) {
  known = true;
  if (says_none(to_lower(cell))) return std::numeric_limits<double>::quiet_NaN();
  if (cell.starts_with('x') || cell.starts_with('~')) cell = trim(cell.substr(1));
  const auto number = numbers.read(cell);
  known = number && !number->two_ways;
  if (!known) return std::numeric_limits<double>::quiet_NaN();
  const std::string unit = to_lower(trim(cell.substr(number->length)));
  if (unit.starts_with("tb") || unit.starts_with("tib")) return number->value * 1024;
  if (unit.starts_with("mb") || unit.starts_with("mib")) return number->value / 1024;
  if (low_end && dash_at(unit) > 0) return number->value;
  known = unit.empty() || is_letter(unit.front()) || unit.front() == '(' || unit.starts_with("\xC3\x97");
  return number->value;
}

std::string read_own_date(std::string_view cell) {
  constexpr std::size_t kDay = 10;  // "2026-11-25"
  if (cell.size() > kDay && cell[4] == '-' && (cell[kDay] == 'T' || cell[kDay] == ' ')) cell = cell.substr(0, kDay);
  std::vector<int> parts;
  std::vector<std::size_t> widths;
  std::string signs;
  for (std::size_t at = 0; at < cell.size();) {
    int value = 0;
    const auto end = std::from_chars(cell.data() + at, cell.data() + cell.size(), value);
    const auto next = static_cast<std::size_t>(end.ptr - cell.data());
    if (end.ec != std::errc() || value < 0 || parts.size() == 3) return std::string(cell);
    parts.push_back(value);
    widths.push_back(next - at);
    at = next;
    if (at < cell.size()) signs += cell[at++];
  }
  const auto written = [](int year, int month, int day) {
    const auto two = [](int value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    return std::to_string(year) + '-' + two(month) + '-' + two(day);
  };
  constexpr int kMonths = 12;
  if (parts.size() == 1 && widths[0] == 8) return written(parts[0] / 10'000, parts[0] / 100 % 100, parts[0] % 100);
  if (parts.size() != 3 || signs.size() != 2 || signs[0] != signs[1]) return std::string(cell);
  if (widths[0] == 4) return written(parts[0], parts[1], parts[2]);
  if (widths[2] != 4) return std::string(cell);
  if (signs[0] == '.' || parts[0] > kMonths || parts[0] == parts[1]) return written(parts[2], parts[1], parts[0]);
  if (parts[1] > kMonths) return written(parts[2], parts[0], parts[1]);
  return std::string(cell);
}

}  // namespace gpuplan
