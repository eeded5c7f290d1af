// Codecs: how each kind of value is described and read. See input/declaration/declaration.h.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/names.h"
#include "base/whole.h"
#include "base/word.h"
#include "domain/hardware/per_gpu.h"
#include "domain/work/phase.h"
#include "input/declaration/declaration.h"

namespace gpuplan {

template <class T>
struct Codec;

template <AmountKind Kind, bool Whole = false>
struct AmountCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kAmount, .amount = Kind, .whole = Whole};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, T& out, const Bounds& bounds) {
    Interval<double> value;
    if constexpr (std::integral<T>) {
      // No count goes further than the number that keeps it.
      Bounds within = bounds;
      constexpr double kMost = static_cast<double>(std::numeric_limits<T>::max());
      if (within.max <= 0 || within.max > kMost) within.max = kMost;
      if (!read_amount(reader, tree, type, within, value)) return false;
      out = whole<T>(value.p50);
    } else {
      if (!read_amount(reader, tree, type, bounds, value)) return false;
      out = static_cast<T>(value.p50);
    }
    return true;
  }
};

/// A single amount is exact (Figure false) or +-20 % (true).
template <AmountKind Kind, bool Figure>
struct IntervalCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kAmount, .amount = Kind, .range = true, .figure = Figure};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, Interval<T>& out, const Bounds& bounds) {
    Interval<double> value;
    if (!read_amount(reader, tree, type, bounds, value)) return false;
    out = {T(value.p10), T(value.p50), T(value.p90)};
    return true;
  }
  template <class T>
  static bool read(Reader& reader, const Tree& tree, Expected<T>& out, const Bounds& bounds) {
    return read(reader, tree, out.range, bounds);
  }
};

/// Which kind of amount a unit is written as.
template <class Q>
inline constexpr AmountKind kAmountOf = AmountKind::kCount;
template <>
inline constexpr AmountKind kAmountOf<Seconds> = AmountKind::kTime;
template <>
inline constexpr AmountKind kAmountOf<Dollars> = AmountKind::kMoney;
template <>
inline constexpr AmountKind kAmountOf<DollarsPerSecond> = AmountKind::kPrice;
template <>
inline constexpr AmountKind kAmountOf<PerSecond> = AmountKind::kRate;
template <>
inline constexpr AmountKind kAmountOf<Bytes> = AmountKind::kBytes;
template <>
inline constexpr AmountKind kAmountOf<BytesPerSecond> = AmountKind::kBytesPerSecond;
template <>
inline constexpr AmountKind kAmountOf<Tokens> = AmountKind::kTokens;
template <>
inline constexpr AmountKind kAmountOf<TokensPerSecond> = AmountKind::kTokensPerSecond;
template <>
inline constexpr AmountKind kAmountOf<DollarsPerByteSecond> = AmountKind::kDollarsPerByteMonth;
template <>
inline constexpr AmountKind kAmountOf<DollarsPerByte> = AmountKind::kDollarsPerByte;

template <int B, int F, int S, int D, int T>
struct Codec<Quantity<B, F, S, D, T>> : AmountCodec<kAmountOf<Quantity<B, F, S, D, T>>> {};
template <>
struct Codec<double> : AmountCodec<AmountKind::kCount> {};
template <>
struct Codec<int> : AmountCodec<AmountKind::kCount, true> {};
using WholeCodec = AmountCodec<AmountKind::kCount, true>;
using ShareCodec = AmountCodec<AmountKind::kShare>;
using TokenCountCodec = AmountCodec<AmountKind::kTokens, true>;
template <class Q>
struct Codec<Interval<Q>> : IntervalCodec<kAmountOf<Q>, false> {};
template <class Q>
struct Codec<Expected<Q>> : IntervalCodec<kAmountOf<Q>, true> {};
template <AmountKind Kind>
using FigureCodec = IntervalCodec<Kind, true>;

template <>
struct Codec<std::string> {
  static constexpr ValueType type{.kind = ValueType::Kind::kText};
  static bool read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
    return read_text(reader, tree, out);
  }
};

template <>
struct Codec<Word> {
  static constexpr ValueType type{.kind = ValueType::Kind::kText};
  static bool read(Reader& reader, const Tree& tree, Word& out, const Bounds&) {
    std::string text;
    if (!read_text(reader, tree, text)) return false;
    out = text;
    return true;
  }
};

template <>
struct Codec<bool> {
  static constexpr ValueType type{.kind = ValueType::Kind::kFlag};
  static bool read(Reader& reader, const Tree& tree, bool& out, const Bounds&) { return read_flag(reader, tree, out); }
};

template <HasNames E>
struct Codec<E> {
  static constexpr auto words = [] {
    std::array<std::string_view, Names<E>::entries.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = Names<E>::entries[i].name;
    return names;
  }();
  /// Entries before the first that repeats a value; what follows must only be other spellings.
  static constexpr std::size_t distinct = [] {
    std::size_t count = 0;
    for (const auto& entry : Names<E>::entries)
      if (name_of(entry.value) == entry.name) ++count;
    return count;
  }();
  static_assert(name_of(Names<E>::entries[distinct - 1].value) == Names<E>::entries[distinct - 1].name,
                "other spellings come after all values");
  static constexpr ValueType type{
      .kind = ValueType::Kind::kWord, .words = words.data(), .word_count = words.size(), .shown_words = distinct};
  static bool read(Reader& reader, const Tree& tree, E& out, const Bounds&) {
    const auto position = read_word(reader, tree, type);
    if (position) out = Names<E>::entries[*position].value;
    return position.has_value();
  }
};

/// A word that sets a flag: the second of two.
template <const auto& Words>
struct FlagWordCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kWord, .words = Words.data(), .word_count = Words.size()};
  static bool read(Reader& reader, const Tree& tree, bool& out, const Bounds&) {
    const auto position = read_word(reader, tree, type);
    out = position == 1U;
    return position.has_value();
  }
};

/// A text out of a list of names.
template <const auto& Words>
struct WordCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kWord, .words = Words.data(), .word_count = Words.size()};
  static bool read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
    const auto position = read_word(reader, tree, type);
    if (position) out = Words[*position];
    return position.has_value();
  }
};

struct DateCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kDate};
  static bool read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
    return read_date(reader, tree, out);
  }
};

/// Any codec's value in an optional member.
template <class C>
struct OptionalCodec {
  static constexpr const ValueType& type = C::type;
  template <class T>
  static bool read(Reader& reader, const Tree& tree, std::optional<T>& out, const Bounds& bounds) {
    T value{};
    if (!C::read(reader, tree, value, bounds)) return false;
    out = std::move(value);
    return true;
  }
};
template <class T>
struct Codec<std::optional<T>> : OptionalCodec<Codec<T>> {};

/// "auto" (nullopt) or a value.
inline constexpr std::array<std::string_view, 1> kAutoWord = {"auto"};
inline constexpr ValueType kAutoType{
    .kind = ValueType::Kind::kWord, .words = kAutoWord.data(), .word_count = kAutoWord.size()};
template <class C>
struct AutoCodec {
  static constexpr std::array<const ValueType*, 2> options = {&kAutoType, &C::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, std::optional<T>& out, const Bounds& bounds) {
    if (is_auto(tree)) {
      out.reset();
      return true;
    }
    return OptionalCodec<C>::read(reader, tree, out, bounds);
  }
};

template <class C>
struct ListCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kList, .of = &C::type};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, std::vector<T>& out, const Bounds& bounds) {
    if (!tree.is_list() && !tree.is_null()) {  // one value stands for a list of one
      out.emplace_back();
      return C::read(reader, tree, out.back(), bounds);
    }
    if (!expect_list(reader, tree, type)) return false;
    out.reserve(tree.children.size());
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      Reader::Scope scope(reader, i);  // NOLINT(misc-const-correctness): renamed where items have names
      if constexpr (requires { C::item_name(tree); }) scope.rename_to(C::item_name(tree.children[i]));
      out.emplace_back();
      if (!C::read(reader, tree.children[i], out.back(), bounds)) return false;
    }
    return true;
  }
};
template <class T>
struct Codec<std::vector<T>> : ListCodec<Codec<T>> {};

/// A map from names to values, in order.
template <class C>
struct NamedCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kNamed, .of = &C::type};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, std::vector<std::pair<std::string, T>>& out,
                   const Bounds& bounds) {
    if (!tree.is_map() || tree.children.empty()) return mismatch(reader, tree, type);
    for (const Tree& child : tree.children) {
      const Reader::Scope scope(reader, child.key);
      out.emplace_back(child.key, T{});
      if (!C::read(reader, child, out.back().second, bounds)) return false;
    }
    return true;
  }
};
template <class T>
struct Codec<std::vector<std::pair<std::string, T>>> : NamedCodec<Codec<T>> {};

/// auto, one value, or {by_gpu: {NAME: value, ..., else: value}}.
template <class C>
struct PerGpuCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kByGpu, .of = &C::type};
  template <class T>
  static bool read(Reader& reader, const Tree& tree, PerGpu<T>& out, const Bounds& bounds) {
    if (!tree.is_map()) return read_one(reader, tree, out.value, bounds);
    const Tree* cases = tree.find("by_gpu");
    if (cases == nullptr || tree.children.size() != 1 || !cases->is_map() || cases->children.empty())
      return mismatch(reader, tree, type);
    const Reader::Scope scope(reader, "by_gpu");
    for (const Tree& child : cases->children) {
      const Reader::Scope inner(reader, child.key);
      if (child.key == "else") {
        if (!read_one(reader, child, out.value, bounds)) return false;
        continue;
      }
      typename PerGpu<T>::Case found;
      Tree name = scalar_tree(child.key);
      name.from_setting = child.from_setting;
      name.line = child.key_line;
      name.column = child.key_column;
      if (!read_gpu(reader, name, found.gpu, found.count)) return false;
      if (!C::read(reader, child, found.value, bounds)) return false;
      out.cases.push_back(std::move(found));
    }
    return true;
  }

 private:
  template <class T>
  static bool read_one(Reader& reader, const Tree& tree, std::optional<T>& out, const Bounds& bounds) {
    if (is_auto(tree)) return true;
    if (!tree.is_scalar()) return mismatch(reader, tree, type);
    return OptionalCodec<C>::read(reader, tree, out, bounds);
  }
};
template <class T>
struct Codec<PerGpu<T>> : PerGpuCodec<Codec<T>> {};

}  // namespace gpuplan
