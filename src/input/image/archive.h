// Values as bytes and back, for machines whose low bytes come first.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "base/word.h"

namespace gpuplan {

static_assert(std::endian::native == std::endian::little);

/// Numbers, enumerators and amounts. Most are small or round: a whole number takes as many groups of seven bits as it
/// has, another one no byte behind its last that is not zero.
template <class T>
inline constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <int B, int F, int S, int D, int T>
inline constexpr bool kPlain<Quantity<B, F, S, D, T>> = true;

/// Row, const or not: `fields` serves both directions.
template <class T, class Row>
concept Of = std::same_as<std::remove_const_t<T>, Row>;

/// Appends values to a text. Of a row it asks fields(archive, row), which names them (input/image/rows.h).
class Packer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string bytes() && {
    bytes_.append(8, '\0');  // an amount is read as eight bytes, whatever it takes
    return std::move(bytes_);
  }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (!kPlain<T>) {
      fields(*this, value);
    } else if constexpr (sizeof value == 1) {
      bytes_ += static_cast<char>(value);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      const auto number = static_cast<std::int64_t>(value);
      const auto sign = static_cast<std::uint64_t>(number >> 63);
      put_whole((static_cast<std::uint64_t>(number) << 1U) ^ sign);
    } else {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      const int zeros = bits == 0 ? 8 : std::countr_zero(bits) / 8;
      bytes_ += static_cast<char>(8 - zeros);
      for (int i = zeros; i < 8; ++i) bytes_ += static_cast<char>(bits >> (8U * static_cast<unsigned>(i)));
    }
  }
  /// Its size doubled, and the text; of one that stood here before, where that was doubled, and one.
  void put(const std::string& text) {
    if (const auto known = texts_.find(text); known != texts_.end()) return put_whole(known->second * 2 + 1);
    constexpr std::size_t kWorthKnowing = 3;
    if (text.size() >= kWorthKnowing) texts_.emplace(text, bytes_.size());
    put_whole(text.size() * 2);
    bytes_ += text;
  }
  void put(const Word& word) { put(word.str()); }
  template <class T>
  void put(const std::vector<T>& rows) {
    put_whole(rows.size());
    for (const T& row : rows) put(row);
  }
  template <class T, std::size_t N>
  void put(const T (&values)[N]) {
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const Interval<T>& interval) {
    (*this)(interval.p10, interval.p50, interval.p90);
  }
  void put_whole(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) bytes_ += static_cast<char>(number | 0x80U);
    bytes_ += static_cast<char>(number);
  }

  std::string bytes_;
  std::unordered_map<std::string, std::uint64_t> texts_;
};

/// Takes values back in the same order. REQUIRES: bytes that Packer wrote of values of these types; it checks nothing.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : begin_(bytes.data()), next_(bytes.data()) {}
  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }

 private:
  template <class T>
  void take(T& value) {
    if constexpr (!kPlain<T>) {
      fields(*this, value);
    } else if constexpr (sizeof value == 1) {
      value = static_cast<T>(*next_++);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      const std::uint64_t whole = take_whole();
      value = static_cast<T>(static_cast<std::int64_t>((whole >> 1U) ^ (0 - (whole & 1U))));
    } else {
      const auto size = static_cast<unsigned char>(*next_++);
      std::uint64_t bits = 0;
      std::memcpy(&bits, next_, sizeof bits);
      next_ += size;
      value = std::bit_cast<T>(size == 0 ? 0 : bits << (64U - 8U * size));
    }
  }
  void take(std::string& text) {
    const std::string_view found = take_text();
    if (!found.empty() || !text.empty()) text = found;
  }
  void take(Word& word) {
    const std::string_view found = take_text();
    if (found.empty()) {
      word = {};
      return;
    }
    // What stood here before is a word already.
    Word& known = words_[found.data()];
    if (known.empty()) known = found;
    word = known;
  }
  /// Where it stands in the bytes: for the same text mostly the same place.
  std::string_view take_text() {
    const std::size_t what = take_size();
    const char* const next = next_;
    if ((what & 1U) != 0) next_ = begin_ + (what >> 1U);
    const std::size_t size = ((what & 1U) != 0 ? take_size() : what) >> 1U;
    const std::string_view text(next_, size);
    next_ = (what & 1U) != 0 ? next : next_ + size;
    return text;
  }
  template <class T>
  void take(std::vector<T>& rows) {
    rows.resize(take_size());
    for (T& row : rows) take(row);
  }
  template <class T, std::size_t N>
  void take(T (&values)[N]) {
    for (T& value : values) take(value);
  }
  template <class T>
  void take(std::optional<T>& value) {
    bool given = false;
    take(given);
    if (given) take(value.emplace());
  }
  template <class T>
  void take(Interval<T>& interval) {
    (*this)(interval.p10, interval.p50, interval.p90);
  }
  [[gnu::always_inline]] std::uint64_t take_whole() {
    const auto first = static_cast<unsigned char>(*next_++);
    return first < 0x80 ? first : take_more(first & 0x7FU);
  }
  std::size_t take_size() { return static_cast<std::size_t>(take_whole()); }
  std::uint64_t take_more(std::uint64_t number) {
    for (unsigned shift = 7;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*next_++);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
  }

  const char* begin_;
  const char* next_;
  std::unordered_map<const char*, Word> words_;  ///< by where they stand
};

}  // namespace gpuplan
