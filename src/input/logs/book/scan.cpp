#include "input/logs/book/scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/text.h"

namespace gpuplan::scan {
namespace {

/// Powers of ten that are exact as doubles.
constexpr std::array kTens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExact = 1ULL << 53U;  // integers up to here are exact as doubles

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_named(std::string_view& text, bool negative, double& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (take_word(text, "nan")) value = kUnknown;
  else if (take_word(text, "infinity") || take_word(text, "inf")) value = negative ? -kInfinity : kInfinity;
  else return false;
  return true;
}

/// What no exact arithmetic reaches: many digits or a large exponent.
bool take_slowly(std::string_view& text, std::size_t size, bool commas, double& value) {
  if (!commas && text[0] != '+') {
    const std::string_view digits = text.substr(0, size);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec == std::errc{}) {
      text.remove_prefix(size);
      return true;
    }
  }
  std::array<char, 128> digits;
  std::size_t count = 0;
  for (std::size_t i = text[0] == '+' ? 1 : 0; i < size && count < digits.size(); ++i)
    if (!commas || text[i] != ',') digits[count++] = text[i];
  const auto read = std::from_chars(digits.data(), digits.data() + count, value);
  if (read.ec == std::errc::result_out_of_range)
    value = text.substr(0, size).find('-', 1) != std::string_view::npos ? 0 : std::numeric_limits<double>::infinity();
  else if (read.ec != std::errc{}) return false;
  text.remove_prefix(size);
  return true;
}

template <bool kCommas>
bool take_any(std::string_view& text, double& value) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  // More than 18 digits may run over: then from_chars reads them.
  constexpr std::ptrdiff_t kMostDigits = 18;
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    const char* next = at;
    std::uint64_t sum = digits;
    for (unsigned digit; next != end && (digit = static_cast<unsigned char>(*next) - unsigned{'0'}) < 10; ++next)
      sum = 10 * sum + digit;
    const std::ptrdiff_t taken = next - at;
    digits = sum;
    at = next;
    return taken;
  };
  std::ptrdiff_t written = take_digits();
  while (kCommas && written > 0 && end - at > 3 && *at == ',' && is_digit(at[1]) && is_digit(at[2]) &&
         is_digit(at[3])) {
    ++at;
    written += take_digits();
  }
  int places = 0;
  if (at != end && *at == '.' && (written > 0 || (end - at > 1 && is_digit(at[1])))) {
    ++at;
    const std::ptrdiff_t behind = take_digits();
    written += behind;
    places = static_cast<int>(std::min<std::ptrdiff_t>(behind, kMostDigits));
  }
  const bool exact = written <= kMostDigits;
  if (written == 0) {
    std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (!take_named(rest, negative, value)) return false;
    text = rest;
    return true;
  }
  if (end - at > 1 && (*at == 'e' || *at == 'E')) {
    const char* power = at + 1;
    const bool down = *power == '-';
    if (*power == '-' || *power == '+') ++power;
    if (power != end && is_digit(*power)) {
      int exponent = 0;
      for (; power != end && is_digit(*power); ++power)
        if (exponent < 10'000) exponent = 10 * exponent + (*power - '0');
      places += down ? exponent : -exponent;
      at = power;
    }
  }
  const auto size = static_cast<std::size_t>(at - begin);
  if (!exact || digits >= kExact || places > 22 || places < -22) return take_slowly(text, size, kCommas, value);
  // One correctly rounded operation on two exact numbers is the nearest double.
  const auto whole = static_cast<double>(digits);
  const double size_of_it =
      places >= 0 ? whole / kTens[static_cast<std::size_t>(places)] : whole * kTens[static_cast<std::size_t>(-places)];
  value = negative ? -size_of_it : size_of_it;
  text.remove_prefix(size);
  return true;
}

/// Days from 1970-01-01 in the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
constexpr std::int64_t days_of(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + static_cast<std::int64_t>(day_of_era) - 719'468;
}
static_assert(days_of(1970, 1, 1) == 0 && days_of(2026, 7, 24) == 20'658);

}  // namespace

bool take_number(std::string_view& text, double& value) { return take_any<false>(text, value); }
bool take_count(std::string_view& text, double& value) { return take_any<true>(text, value); }

std::optional<double> amount(std::string_view text) {
  double value = 0;
  skip_spaces(text);
  if (!take_count(text, value)) return std::nullopt;
  if (text.empty()) return value;
  switch (text.front()) {
    case 'K':
    case 'k':
      return value * 1e3;
    case 'M':
      return value * 1e6;
    case 'B':
      return value * 1e9;
    case 'T':
      return value * 1e12;
    default:
      return value;
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  skip_spaces(text);
  if (!take_number(text, value)) return std::nullopt;
  return value;
}

namespace {

/// Digits where the shape has '0', else its signs; a 'T' may stand for the blank between day and time.
bool is_shaped(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    if (shape[i] == '0' ? !is_digit(c) : c != shape[i] && !(i == 10 && c == 'T')) return false;
  }
  return true;
}

unsigned two_digits(std::string_view text, std::size_t at) {
  return static_cast<unsigned>((text[at] - '0') * 10 + (text[at + 1] - '0'));
}

/// Takes the day off, of any form, with the blank behind it; days since 1970.
bool take_day(std::string_view& text, std::int64_t& days) {
  // Loggers of examples of transformers and accelerate write "03/01/2026 10:00:00", fairseq2's "03/01/26 10:00:00".
  constexpr std::string_view kDay = "0000-00-00 00:00:00", kAmerican = "00/00/0000 00:00:00",
                             kShort = "00/00/00 00:00:00";
  constexpr std::size_t kTime = std::string_view("00:00:00").size();
  const auto two = [&](std::size_t at) { return two_digits(text, at); };
  const bool american = text[2] == '/';
  const std::string_view shape = !american ? kDay : is_shaped(text, kShort) ? kShort : kAmerican;
  if (!is_shaped(text, shape)) return false;
  const unsigned month = two(american ? 0 : 5), day = two(american ? 3 : 8);
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const unsigned year = !american ? 100 * two(0) + two(2) : shape == kShort ? 2000 + two(6) : 100 * two(6) + two(8);
  days = days_of(year, month, day);
  text.remove_prefix(shape.size() - kTime);
  return true;
}

}  // namespace

bool take_time(std::string_view& text, double& seconds) {
  constexpr std::string_view kTime = "00:00:00";
  if (text.size() <= kTime.size()) return false;
  std::int64_t days = 0;
  if (text[2] == ':') {  // a time of day alone, before words
    if (!is_shaped(text, kTime) || (text[8] != ' ' && text[8] != '.' && text[8] != ',')) return false;
  } else if (!take_day(text, days)) {
    return false;
  }
  const auto two = [&](std::size_t at) { return two_digits(text, at); };
  seconds = 86'400.0 * static_cast<double>(days) + 3600.0 * two(0) + 60.0 * two(3) + two(6);
  text.remove_prefix(kTime.size());
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    double scale = 0.1;
    for (text.remove_prefix(1); !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      seconds += scale * (text.front() - '0');
      scale /= 10;
    }
  }
  if (take(text, "Z")) return true;
  if (text.size() >= 5 && (text[0] == '+' || text[0] == '-') && is_digit(text[1]) && is_digit(text[2])) {
    const std::size_t minutes = text[3] == ':' ? 4 : 3;  // "+02:00", "+0200"
    if (text.size() >= minutes + 2 && is_digit(text[minutes]) && is_digit(text[minutes + 1])) {
      const double offset = 3600.0 * two(1) + 60.0 * two(minutes);
      seconds += text[0] == '+' ? -offset : offset;
      text.remove_prefix(minutes + 2);
    }
  }
  return true;
}

}  // namespace gpuplan::scan
