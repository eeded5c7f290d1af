#include "web/instead/small_decimal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace gpuplan::small {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kExactPowers = 22;  // 10^22 is the last power of ten that is a double
constexpr std::uint64_t kExactWhole = std::uint64_t{1} << 53;

constexpr std::array<double, kExactPowers + 1> kTens = [] {
  std::array<double, kExactPowers + 1> tens{};
  double power = 1;
  for (double& ten : tens) {
    ten = power;
    power *= 10;
  }
  return tens;
}();

/// A positive double as a whole number and a fraction of so many bits.
struct Fixed {
  std::uint64_t whole = 0;
  Wide rest = 0;
  int bits = 0;
  bool even = false;      ///< its last bit is 0
  bool power = false;     ///< of two: the next double below is half as far as the next above
  bool possible = false;  ///< large and tiny numbers have no room

  explicit Fixed(double value) {
    constexpr int kMantissa = 52, kMostBits = 120;
    const auto raw = std::bit_cast<std::uint64_t>(value);
    const int stored = static_cast<int>((raw >> kMantissa) & 0x7FF);
    std::uint64_t mantissa = raw & ((std::uint64_t{1} << kMantissa) - 1);
    if (stored == 0 || stored == 0x7FF) return;
    power = mantissa == 0;
    even = mantissa % 2 == 0;
    mantissa |= std::uint64_t{1} << kMantissa;
    const int exponent = stored - 1075;
    if (exponent > 10 || -exponent > kMostBits) return;
    possible = true;
    if (exponent >= 0) {
      whole = mantissa << exponent;
      return;
    }
    bits = -exponent;
    whole = bits <= kMantissa ? mantissa >> bits : 0;
    rest = mantissa - (bits <= kMantissa ? Wide{whole} << bits : 0);
  }

  int next_digit() {
    rest *= 10;
    const int digit = static_cast<int>(rest >> bits);
    rest -= Wide{static_cast<unsigned>(digit)} << bits;
    return digit;
  }

  /// The rest against a half.
  int against_half() const {
    if (bits == 0) return -1;
    const Wide half = Wide{1} << (bits - 1);
    return rest < half ? -1 : rest > half ? 1 : 0;
  }
};

std::string whole_text(std::uint64_t value) {
  std::array<char, 20> text;
  std::size_t at = text.size();
  do {
    text[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  return {text.data() + at, text.size() - at};
}

/// One more in the last digit; a point in between stays.
void count_up(std::string& text) {
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == '.') continue;
    if (text[at] != '9') {
      ++text[at];
      return;
    }
    text[at] = '0';
  }
  text.insert(0, "1");
}

/// Digits without zeros at either end, and where the point stands: 0.DIGITS times ten to `point`.
struct Digits {
  std::string text;
  int point = 0;
};

std::string printed(const char* form, int precision, double value) {
  std::array<char, 400> text;
  const int size = std::snprintf(text.data(), text.size(), form, precision, value);
  return {text.data(), static_cast<std::size_t>(size)};
}

/// By trying, which is for numbers that no plan holds.
Digits tried(double value) {
  constexpr int kMost = 17;
  for (int precision = 0;; ++precision) {
    const std::string text = printed("%.*e", precision, value);
    if (precision + 1 < kMost && std::strtod(text.c_str(), nullptr) != value) continue;
    const std::size_t end = text.find('e');
    Digits found{text.substr(0, 1), std::atoi(text.c_str() + end + 1) + 1};
    if (end > 2) found.text += text.substr(2, end - 2);
    return found;
  }
}

/// After Steele and White, "How to print floating-point numbers accurately" (1990): digits until what is left is nearer
/// than the half way to the next double.
Digits shortest(double value) {
  Fixed number(value);
  const bool whole = number.possible && number.rest == 0 && number.whole < kExactWhole;
  if (!whole && (!number.possible || number.rest == 0)) return tried(value);
  Digits found;
  if (number.whole > 0) found.text = whole_text(number.whole);
  found.point = static_cast<int>(found.text.size());
  if (!whole) {
    number.rest <<= 2;
    number.bits += 2;
    Wide above = 2, below = number.power ? 1 : 2;
    for (bool low = false, high = false; !low && !high;) {
      const int digit = number.next_digit();
      above *= 10;
      below *= 10;
      const Wide one = Wide{1} << number.bits, next = number.rest + above;
      low = number.even ? number.rest <= below : number.rest < below;
      high = number.even ? next >= one : next > one;
      const int half = number.against_half();
      const bool up = high && (!low || half > 0 || (half == 0 && digit % 2 == 1));
      if (found.text.empty() && digit == 0 && !up) --found.point;
      else found.text += static_cast<char>('0' + digit);
      if (up) count_up(found.text);
    }
  }
  while (found.text.size() > 1 && found.text.ends_with('0')) found.text.pop_back();
  return found;
}

std::string placed(const Digits& digits) {
  const int size = static_cast<int>(digits.text.size());
  if (digits.point <= 0) return "0." + std::string(static_cast<std::size_t>(-digits.point), '0') + digits.text;
  if (digits.point >= size) return digits.text + std::string(static_cast<std::size_t>(digits.point - size), '0');
  std::string text = digits.text;
  text.insert(static_cast<std::size_t>(digits.point), ".");
  return text;
}

std::string with_exponent(const Digits& digits) {
  std::string text = digits.text;
  if (text.size() > 1) text.insert(1, ".");
  const int exponent = digits.point - 1, size = exponent < 0 ? -exponent : exponent;
  text += exponent < 0 ? "e-" : "e+";
  if (size < 10) text += '0';
  return text + whole_text(static_cast<std::uint64_t>(size));
}

/// Zeros behind the digits are others in truth where the number is too large to be counted in ones.
std::string plain(double value, const Digits& digits) {
  return value < static_cast<double>(kExactWhole) ? placed(digits) : printed("%.*f", 0, value);
}

std::string sign_of(double value) { return std::signbit(value) ? "-" : ""; }

/// whole * 10^power where one operation with exact numbers makes it.
bool made(std::uint64_t whole, int power, double& value) {
  if (whole > kExactWhole || power > kExactPowers || power < -kExactPowers) return false;
  const double exact = static_cast<double>(whole);
  value = power < 0 ? exact / kTens[static_cast<std::size_t>(-power)] : exact * kTens[static_cast<std::size_t>(power)];
  return true;
}

bool rounded(Fixed number, int digits, double& value) {
  if (!number.possible) return false;
  std::uint64_t kept = number.whole;
  const int has = kept > 0 ? static_cast<int>(whole_text(kept).size()) : 0;
  if (has >= digits) {
    std::uint64_t unit = 1;
    for (int i = digits; i < has; ++i) unit *= 10;
    const std::uint64_t left = kept % unit;
    kept /= unit;
    int half = unit == 1 ? number.against_half() : 0;
    if (unit > 1) {
      half = left < unit / 2 ? -1 : left > unit / 2 ? 1 : 0;
      if (half == 0 && number.rest > 0) half = 1;
    }
    if (half > 0 || (half == 0 && kept % 2 == 1)) ++kept;
    return made(kept, has - digits, value);
  }
  int decimals = 0;
  for (int count = has; count < digits; ++decimals) {
    kept = 10 * kept + static_cast<std::uint64_t>(number.next_digit());
    if (kept > 0) ++count;
  }
  const int half = number.against_half();
  if (half > 0 || (half == 0 && kept % 2 == 1)) ++kept;
  return made(kept, -decimals, value);
}

bool begins(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

bool digit_at(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

}  // namespace

std::string shortest_digits(double value) {
  if (value == 0) return sign_of(value) + "0";
  const double size = std::fabs(value);
  const Digits digits = shortest(size);
  const int count = static_cast<int>(digits.text.size());
  const int in_plain = digits.point <= 0 ? 2 - digits.point + count : count + (digits.point < count ? 1 : 0);
  std::string other = with_exponent(digits);
  const int longer = std::max(in_plain, digits.point);
  return sign_of(value) + (longer <= static_cast<int>(other.size()) ? plain(size, digits) : other);
}

std::string plain_digits(double value) {
  if (value == 0) return sign_of(value) + "0";
  const double size = std::fabs(value);
  return sign_of(value) + (size < static_cast<double>(kExactWhole) ? placed(shortest(size)) : printed("%.*f", 0, size));
}

std::string fixed_digits(double value, int decimals) {
  Fixed number(std::fabs(value));
  if (value != 0 && !number.possible) return printed("%.*f", decimals, value);
  std::string text = whole_text(number.whole);
  if (decimals > 0) text += '.';
  bool odd = number.whole % 2 == 1;
  for (int i = 0; i < decimals; ++i) {
    const int digit = number.next_digit();
    odd = digit % 2 == 1;
    text += static_cast<char>('0' + digit);
  }
  const int half = number.against_half();
  if (half > 0 || (half == 0 && odd)) count_up(text);
  return sign_of(value) + text;
}

std::string general_digits(double value, int digits) { return printed("%.*g", digits, value); }

double rounded_to_digits(double value, int digits) {
  if (value == 0) return value;
  double size = 0;
  if (rounded(Fixed(std::fabs(value)), digits, size)) return value < 0 ? -size : size;
  const double found = std::strtod(printed("%.*e", digits - 1, value).c_str(), nullptr);
  return std::isfinite(found) ? found : value;
}

std::from_chars_result read_number(const char* from, const char* to, double& value) {
  const std::string_view text(from, static_cast<std::size_t>(to - from));
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t start = at;
  const auto ends_at = [&](std::size_t end) { return from + end; };
  if (begins(text.substr(at), "inf")) {
    value = at > 0 ? -HUGE_VAL : HUGE_VAL;
    return {ends_at(at + (begins(text.substr(at), "infinity") ? 8 : 3)), std::errc()};
  }
  if (begins(text.substr(at), "nan")) {
    value = std::strtod(at > 0 ? "-nan" : "nan", nullptr);
    return {ends_at(at + 3), std::errc()};
  }
  std::uint64_t whole = 0;
  int power = 0;
  bool some = false, exact = true;
  const auto take = [&](int shift) {
    for (; digit_at(text, at); ++at) {
      some = true;
      power -= shift;
      if (whole > kExactWhole) exact = false;
      else whole = 10 * whole + static_cast<std::uint64_t>(text[at] - '0');
    }
  };
  take(0);
  if (at < text.size() && text[at] == '.') {
    const std::size_t point = at++;
    take(1);
    if (!some) at = point;
  }
  if (!some) return {from, std::errc::invalid_argument};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t last = at + 1;
    const bool minus = last < text.size() && text[last] == '-';
    if (last < text.size() && (text[last] == '-' || text[last] == '+')) ++last;
    if (digit_at(text, last)) {
      constexpr int kMost = 100'000;
      int stated = 0;
      for (; digit_at(text, last); ++last) stated = std::min(kMost, 10 * stated + (text[last] - '0'));
      power += minus ? -stated : stated;
      at = last;
    }
  }
  double size = 0;
  if (!exact || !made(whole, power, size)) {
    const std::string number(text.substr(start, at - start));
    size = std::strtod(number.c_str(), nullptr);
    if (!std::isfinite(size) || (size == 0 && number.find_first_of("123456789") < number.find_first_of("eE")))
      return {ends_at(at), std::errc::result_out_of_range};
  }
  value = start > 0 ? -size : size;
  return {ends_at(at), std::errc()};
}

}  // namespace gpuplan::small
