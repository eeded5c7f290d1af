// Values as bytes and back, for one program that writes and another that reads on the same kind of machine.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/interval.h"
#include "base/units.h"

namespace gpuplan {

/// Numbers, enumerators and amounts: their bytes say all, and nothing lies between them.
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
  std::string bytes() && { return std::move(bytes_); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (kPlain<T>) bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else fields(*this, value);
  }
  void put(const std::string& text) {
    put_size(text.size());
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& rows) {
    put_size(rows.size());
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
  void put_size(std::size_t size) { put(static_cast<std::uint32_t>(size)); }

  std::string bytes_;
};

/// Takes values back in the same order. REQUIRES: bytes that Packer wrote of values of these types; it checks nothing.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : next_(bytes.data()) {}
  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }

 private:
  template <class T>
  void take(T& value) {
    if constexpr (kPlain<T>) {
      std::memcpy(&value, next_, sizeof value);
      next_ += sizeof value;
    } else {
      fields(*this, value);
    }
  }
  void take(std::string& text) {
    const std::uint32_t size = take_size();
    if (size == 0 && text.empty()) return;
    text.assign(next_, size);
    next_ += size;
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
  std::uint32_t take_size() {
    std::uint32_t size = 0;
    take(size);
    return size;
  }

  const char* next_;
};

}  // namespace gpuplan
