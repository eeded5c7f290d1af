#include "input/text/untidy/loose_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// Signs that only ever part thousands; the blanks in UTF-8, and the one of Windows' code page.
constexpr std::array<std::string_view, 7> kThousandsSigns = {
    "'", "_", "\xE2\x80\x99", " ", "\xC2\xA0", "\xE2\x80\xAF", "\xA0"};

bool digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return false;
  for (std::size_t i = at; i < at + count; ++i)
    if (!is_digit(text[i])) return false;
  return at + count == text.size() || !is_digit(text[at + count]);
}

/// Digits, and what stood between them: '.', ',' or '\'' for signs that only part thousands.
struct Groups {
  std::vector<std::string> digits{""};
  std::string signs;
};

Groups groups_of(std::string_view text, std::size_t& at) {
  Groups groups;
  while (at < text.size()) {
    if (is_digit(text[at])) {
      groups.digits.back() += text[at++];
      continue;
    }
    const bool point = text[at] == '.' || text[at] == ',';
    if (point && at + 1 < text.size() && is_digit(text[at + 1])) {
      groups.signs += text[at++];
      groups.digits.emplace_back();
      continue;
    }
    const auto sign =
        std::ranges::find_if(kThousandsSigns, [&](std::string_view one) { return text.substr(at).starts_with(one); });
    if (sign == kThousandsSigns.end() || !digits_at(text, at + sign->size(), 3) || groups.digits[0].empty()) break;
    groups.signs += '\'';
    groups.digits.emplace_back();
    at += sign->size();
  }
  return groups;
}

/// Whether the groups from the second to `last` are thousands.
bool are_thousands(const Groups& groups, std::size_t last) {
  if (groups.digits[0].empty() || (last > 0 && groups.digits[0].size() > 3)) return false;
  for (std::size_t i = 1; i <= last; ++i)
    if (groups.digits[i].size() != 3) return false;
  return true;
}

}  // namespace

std::optional<LooseNumber> LooseNumbers::read(std::string_view text) {
  std::size_t at = 0;
  const bool negative = text.starts_with('-') || text.starts_with("\xE2\x88\x92");
  if (negative) at = text[0] == '-' ? 1 : 3;
  else if (text.starts_with('+')) at = 1;
  const Groups groups = groups_of(text, at);
  if (groups.digits.back().empty()) return std::nullopt;

  LooseNumber number;
  const std::string& signs = groups.signs;
  const auto points = std::ranges::count(signs, '.'), commas = std::ranges::count(signs, ',');
  char fraction = 0;  // the sign before it; 0: a whole number
  if (points > 0 && commas > 0) {
    fraction = signs.back();
    if ((fraction == '.' ? points : commas) != 1) return std::nullopt;
    decimal_ = fraction;
  } else if (points + commas > 1) {
    decimal_ = points > 0 ? ',' : '.';
  } else if (points + commas == 1) {
    const char sign = points > 0 ? '.' : ',';
    if (signs.back() != sign) return std::nullopt;
    const std::string& before = groups.digits[0];
    const bool either =
        signs.size() == 1 && groups.digits[1].size() == 3 && !before.empty() && before.size() <= 3 && before != "0";
    if (!either) decimal_ = sign;
    const bool known = decimal_ != 0;
    if (!either || decimal_ == sign || (!known && sign == '.')) fraction = sign;
    number.two_ways = either && !known && sign == ',';
  }
  const std::size_t last = groups.digits.size() - 1;
  if (!(fraction != 0 && last == 1) && !are_thousands(groups, fraction != 0 ? last - 1 : last)) return std::nullopt;

  std::string plain;
  for (std::size_t i = 0; i <= last; ++i) {
    if (i == last && fraction != 0) plain += plain.empty() ? "0." : ".";
    plain += groups.digits[i];
  }
  // 2.5e-05, as programs write it.
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t end = at + 1;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    const std::size_t first = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > first) {
      plain.append(text.substr(at, end - at));
      std::erase(plain, '+');
      at = end;
    }
  }
  const auto end = read_number(plain.data(), plain.data() + plain.size(), number.value);
  if (end.ec != std::errc() || end.ptr != plain.data() + plain.size() || !std::isfinite(number.value))
    return std::nullopt;
  if (negative) number.value = -number.value;
  number.length = at;
  return number;
}

}  // namespace gpuplan
