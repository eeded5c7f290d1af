#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/digits/decimal.h"
#include "base/random.h"

namespace gpuplan {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point at `at`. Overlong forms, surrogates and values above U+10FFFF are invalid (Unicode 15, table 3-7).
CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return {};
  return {value, length, true};
}

struct Range {
  char32_t first, last;
};

/// Characters that could forge what is shown, or hide in it: they move the cursor, start an escape sequence, turn the
/// direction of the text (Unicode Technical Report 36, "Bidirectional text spoofing"; CVE-2021-42574), or take no room
/// at all, so that two different texts look the same and a text can carry another one unseen (tags, U+E0000 ... 7F, and
/// the selectors behind them). Unicode 15: categories Cc and Cf, Default_Ignorable_Code_Point where it is no letter's
/// own mark, and what is no character.
constexpr std::array kHarmful = {
    Range{0x00, 0x1F},         // C0
    Range{0x7F, 0x9F},         // delete, C1
    Range{0xAD, 0xAD},         // soft hyphen
    Range{0x034F, 0x034F},     // combining grapheme joiner
    Range{0x061C, 0x061C},     // Arabic letter mark
    Range{0x115F, 0x1160},     // Hangul fillers
    Range{0x17B4, 0x17B5},     // Khmer vowels that are not seen
    Range{0x180B, 0x180F},     // Mongolian selectors and vowel separator
    Range{0x200B, 0x200F},     // zero width, direction marks
    Range{0x2028, 0x202E},     // line and paragraph separators, embeddings and overrides
    Range{0x2060, 0x206F},     // word joiner, invisible operators, isolates
    Range{0x3164, 0x3164},     // Hangul filler
    Range{0xFEFF, 0xFEFF},     // byte order mark
    Range{0xFFA0, 0xFFA0},     // Hangul filler, half width
    Range{0xFFF0, 0xFFFB},     // interlinear annotation
    Range{0xFFFE, 0xFFFF},     // no characters
    Range{0x1BCA0, 0x1BCA3},   // shorthand format controls
    Range{0x1D173, 0x1D17A},   // musical format controls
    Range{0xE0000, 0xE0FFF},   // tags, selectors
    Range{0x1FFFE, 0x1FFFF},   // no characters
    Range{0x10FFFE, 0x10FFFF}  // no characters
};

/// Combining marks and joiners, the common blocks (Unicode 15, general categories Mn, Me and Cf).
constexpr std::array kNoColumn = {Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                  Range{0x064B, 0x065F}, Range{0x0E34, 0x0E3A}, Range{0x1AB0, 0x1AFF},
                                  Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20F0},
                                  Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}};

/// Characters of two columns (Unicode 15, East Asian width W and F, and emoji presentation).
constexpr std::array kTwoColumns = {Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
                                    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
                                    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                                    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                                    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool inside(char32_t c, const std::array<Range, N>& ranges) {
  return std::ranges::any_of(ranges, [c](Range range) { return c >= range.first && c <= range.last; });
}

bool is_harmful(char32_t c) { return (c < 0x20 || c >= 0x7F) && inside(c, kHarmful); }

/// Where the colour or cursor sequence (ESC [ ... letter) that starts at `at` ends; `at` itself when there is none.
std::size_t skip_escape(std::string_view text, std::size_t at) {
  if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') return at;
  std::size_t end = at + 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

std::string not_finite(double value) {
  if (value != value) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// "-0.00" would only puzzle readers.
std::string without_negative_zero(std::string text) {
  if (!text.empty() && text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

bool iequals(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string result;
  for (const std::string& part : parts) {
    if (&part != parts.data()) result += separator;
    result += part;
  }
  return result;
}

std::string listed(std::span<const std::string> parts, std::string_view last) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && i + 1 == parts.size()) (result += ' ').append(last) += ' ';
    else if (i > 0) result += ", ";
    result += parts[i];
  }
  return result;
}

std::string squeeze(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char small = lower(c);
    if (is_digit(small) || (small >= 'a' && small <= 'z')) result += small;
    if (c == '+') result += "plus";
    // opt-1.3b and opt-13b are two models.
    if (c == '.' && i > 0 && i + 1 < name.size() && is_digit(name[i - 1]) && is_digit(name[i + 1])) result += '.';
  }
  return result;
}

std::string printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view kEllipsis = "…";
  // Most text by far.
  if (text.size() <= limit && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }))
    return std::string(text);
  std::string result;
  result.reserve(std::min(text.size(), limit) + kEllipsis.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (result.size() + point.bytes > limit) return result += kEllipsis;
    if (!point.valid || is_harmful(point.value)) {
      result += '?';
    } else {
      result += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return result;
}

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const CodePoint point = decode(text, at);
  return point.valid ? point.bytes : 0;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {  // most text by far
      ++width;
      ++at;
      continue;
    }
    if (const std::size_t end = skip_escape(text, at); end != at) {
      at = end;
      continue;
    }
    const CodePoint point = decode(text, at);
    at += point.bytes;
    if (point.valid && (point.value < 0x20 || inside(point.value, kNoColumn))) continue;
    width += point.valid && inside(point.value, kTwoColumns) ? 2 : 1;
  }
  return width;
}

int edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: two back, one back, this one. Two back serves transpositions.
  std::vector<int> older(b.size() + 1), old(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) old[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], older[j - 2] + 1);
    }
    std::swap(older, old);
    std::swap(old, row);
  }
  return old[b.size()];
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates, int most) {
  // A text of a page is no slip of the keyboard, and comparing it would take long.
  constexpr std::size_t kLongestName = 80;
  if (name.size() > kLongestName || most <= 0) return {};
  const std::string wanted = squeeze(name);
  if (wanted.empty()) return {};
  // A third of the letters may be wrong, as rustc and cargo allow, but four at most: long names differ more.
  const int limit = static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(wanted.size(), 3) / 3, 4));

  struct Near {
    int distance;  // twice the number of slips
    std::string_view name;
  };
  std::vector<Near> near;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const std::string squeezed = squeeze(candidate);
    // An abbreviation ("Olmo" for "Olmo-3-7B") is less likely than one slip, but likelier than two.
    const bool begins = wanted.size() >= 3 && squeezed.starts_with(wanted);
    const std::size_t gap = std::max(squeezed.size(), wanted.size()) - std::min(squeezed.size(), wanted.size());
    const int distance = gap > 4 ? limit + 1 : edit_distance(wanted, squeezed);
    if (distance > limit && !begins) continue;
    if (std::ranges::any_of(near, [&](const Near& other) { return other.name == candidate; })) continue;
    const Near found{begins ? std::min(2 * distance, 3) : 2 * distance, candidate};
    near.insert(std::ranges::upper_bound(near, found.distance, {}, &Near::distance), found);
  }
  std::vector<std::string> result;
  for (const Near& one : near) {
    if (result.size() == static_cast<std::size_t>(most)) break;
    result.emplace_back(one.name);
  }
  return result;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  std::vector<std::string> near = nearest(name, candidates);
  if (near.empty()) return "";
  for (std::string& one : near) one = "'" + printable(one, 80) + "'";
  return ". Did you mean " + listed(near, "or") + '?';
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001b3ULL;
  }
  return seed;
}

std::string short_id(std::uint64_t hash, int signs) {
  constexpr std::string_view kSigns = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::uint64_t mixed = splitmix64(hash);  // the high bits of FNV-1a over short texts are poor
  std::string id(static_cast<std::size_t>(signs), 'a');
  // A letter first: "102938" and "12e456" would be read as numbers by shells, YAML and people.
  id[0] = kSigns[10 + mixed % 26];
  mixed /= 26;
  for (std::size_t i = 1; i < id.size(); ++i) {
    id[i] = kSigns[mixed % 36];
    mixed /= 36;
  }
  return id;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  const double size = value < 0 ? -value : value;
  if (size == 0) return "0";
  constexpr double kPlain = 1e15;  // whole numbers up to there are told apart
  // Of them the shortest text is all of their digits.
  if (size < kPlain && static_cast<double>(static_cast<std::int64_t>(value)) == value)
    return std::to_string(static_cast<std::int64_t>(value));
  return size >= 1e-5 && size < kPlain ? plain_digits(value) : shortest_digits(value);
}

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite(value);
  return without_negative_zero(fixed_digits(value, std::clamp(decimals, 0, 60)));
}

std::string significant_text(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";
  const double rounded = rounded_to_digits(value, std::clamp(digits, 1, 17));
  return std::isfinite(rounded) ? plain_digits(rounded) : not_finite(rounded);
}

std::string count_text(double value) {
  std::string digits = fixed_text(value, 0);
  if (!std::isfinite(value)) return digits;
  const std::size_t start = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count_of(double count, const std::string& noun) {
  const std::string number = count >= 999.5 ? count_text(count) : significant_text(count, 3);
  return number + " " + noun + (number == "1" ? "" : "s");
}

std::string range_text(std::string_view low, std::string_view high) {
  if (low == high) return std::string(low);
  // The unit begins at the first blank, or at the "/h" of a price.
  const auto unit = [](std::string_view text) {
    const std::size_t at = text.find_first_of(" /");
    return at == std::string_view::npos ? std::string_view() : text.substr(at);
  };
  std::string_view from = low;
  if (unit(low) == unit(high)) from.remove_suffix(unit(low).size());
  return std::string(from).append(kRangeDash).append(high);
}

std::string percent_text(double share) {
  const double value = share * 100;
  if (value > 0 && value < 0.95) return significant_text(value, 1) + "%";
  if (value > 99 && value < 100) return value > 99.95 ? "> 99.9%" : fixed_text(value, 1) + "%";
  return count_text(value) + "%";
}

}  // namespace gpuplan
