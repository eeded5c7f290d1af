#include "input/text/untidy/utf8_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kMarkUtf8 = "\xEF\xBB\xBF", kMarkLittle = "\xFF\xFE", kMarkBig = "\xFE\xFF";
constexpr unsigned kReplacement = 0xFFFD;
constexpr std::size_t kHead = 4;  ///< bytes that tell

/// What Windows-1252 has from 0x80 to 0x9F; above, it is Unicode.
constexpr std::array<unsigned, 32> kWindows = {0x20AC, kReplacement, 0x201A,       0x0192, 0x201E, 0x2026, 0x2020,
                                               0x2021, 0x02C6,       0x2030,       0x0160, 0x2039, 0x0152, kReplacement,
                                               0x017D, kReplacement, kReplacement, 0x2018, 0x2019, 0x201C, 0x201D,
                                               0x2022, 0x2013,       0x2014,       0x02DC, 0x2122, 0x0161, 0x203A,
                                               0x0153, kReplacement, 0x017E,       0x0178};

/// Letters of ASCII in units of two bytes, `low` of which holds them.
bool is_wide(std::string_view start, std::size_t low) {
  if (start.size() < kHead) return false;
  const auto letter = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; };
  return letter(start[low]) && letter(start[low + 2]) && start[1 - low] == '\0' && start[3 - low] == '\0';
}

}  // namespace

void ToUtf8::put(unsigned character) {
  const auto add = [&](unsigned byte) { out_ += static_cast<char>(byte); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xC0U | character >> 6U);
  } else if (character < 0x10000) {
    add(0xE0U | character >> 12U);
    add(0x80U | (character >> 6U & 0x3FU));
  } else {
    add(0xF0U | character >> 18U);
    add(0x80U | (character >> 12U & 0x3FU));
    add(0x80U | (character >> 6U & 0x3FU));
  }
  add(0x80U | (character & 0x3FU));
}

void ToUtf8::unit(unsigned value) {
  const bool first = value >= 0xD800 && value < 0xDC00, second = value >= 0xDC00 && value < 0xE000;
  if (surrogate_ != 0) {
    const unsigned begun = surrogate_;
    surrogate_ = 0;
    if (second) return put(0x10000U + ((begun - 0xD800U) << 10U) + (value - 0xDC00U));
    put(kReplacement);
  }
  if (first) surrogate_ = value;
  else put(second ? kReplacement : value);
}

std::string_view ToUtf8::plain(std::string_view bytes, bool last) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!windows_ || (cut_.empty() && std::ranges::all_of(bytes, is_ascii))) return bytes;
  const std::string text = cut_ + std::string(bytes);
  cut_.clear();
  out_.clear();
  constexpr std::size_t kLongest = 4;  // bytes of a character
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (const std::size_t length = utf8_length(text, at); length > 0) {
      out_.append(text, at, length);
      at += length;
    } else if (!last && byte >= 0xC2 && text.size() - at < kLongest) {
      cut_ = text.substr(at);
      break;
    } else {
      put(byte >= 0xA0 ? byte : kWindows[byte - 0x80U]);
      ++at;
    }
  }
  return out_;
}

std::string_view ToUtf8::next(std::string_view bytes, bool last) {
  out_.clear();
  if (kind_ == Kind::kUnknown) {
    const std::size_t more = std::min(bytes.size(), kHead - start_.size());
    start_ += bytes.substr(0, more);
    bytes.remove_prefix(more);
    if (start_.size() < kHead && !last) return {};
    std::size_t mark = 0;
    if (start_.starts_with(kMarkLittle) || start_.starts_with(kMarkBig)) {
      kind_ = start_.starts_with(kMarkLittle) ? Kind::kLittle : Kind::kBig;
      mark = kMarkLittle.size();
    } else if (is_wide(start_, 0) || is_wide(start_, 1)) {
      kind_ = is_wide(start_, 0) ? Kind::kLittle : Kind::kBig;
    } else {
      kind_ = Kind::kPlain;
      mark = start_.starts_with(kMarkUtf8) ? kMarkUtf8.size() : 0;
    }
    start_.erase(0, mark);
    if (kind_ == Kind::kPlain) {
      if (start_.empty()) return plain(bytes, last);
      start_ += bytes;
      if (windows_) return plain(start_, last);
      out_ = std::move(start_);
      return out_;
    }
    start_ += bytes;
    bytes = start_;
  }
  if (kind_ == Kind::kPlain) return plain(bytes, last);

  out_.reserve(bytes.size());
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    if (half_ < 0) {
      half_ = byte;
      continue;
    }
    unit(static_cast<unsigned>(kind_ == Kind::kLittle ? half_ | byte << 8 : half_ << 8 | byte));
    half_ = -1;
  }
  if (last && (half_ >= 0 || surrogate_ != 0)) put(kReplacement);
  return out_;
}

}  // namespace gpuplan
