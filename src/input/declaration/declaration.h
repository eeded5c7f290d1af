// One declaration for every key of the job file: name, kind and unit, default, bounds, allowed names, help. Reading,
// messages, --set, help texts, the JSON Schema and docs/job-file.md all come from it.
//
// A *codec* belongs to a kind of value: `type` describes it, `read` turns a tree into it. A *record* lists the keys of
// a map, each tied to a member of a struct:
//
//   struct LimitsRecord {  // input/declaration/codec.h has the codecs, input/declaration/record.h this
//     using Object = Limits;
//     static constexpr std::string_view title = "limits";
//     static constexpr std::array keys = {key<&Limits::deadline>("deadline", "none", "when it must be done",
//     kPositive)};
//   };
//   template <> struct Codec<Limits> : Record<LimitsRecord> {};
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/amount.h"
#include "base/result.h"
#include "input/declaration/reader.h"
#include "input/text/tree.h"

namespace gpuplan {

/// Least and greatest value in base units. What kind of amount it is bounds it too (declaration.cpp): nothing may be
/// negative or astronomically large.
struct Bounds {
  double min = 0;
  double max = 0;          ///< 0: only the bound of the kind
  bool above_min = false;  ///< the least value itself is not allowed
};
inline constexpr Bounds kPositive{0, 0, true};
constexpr Bounds at_least(double min) { return {min, 0, false}; }
constexpr Bounds between(double min, double max) { return {min, max, false}; }

struct Key;

/// Description of a kind of value.
struct ValueType {
  enum class Kind : std::uint8_t {
    kText,      ///< any text
    kWord,      ///< one of `words`
    kFlag,      ///< true or false
    kAmount,    ///< a number with a unit, see `amount`
    kGpu,       ///< name of a GPU, with or without a count
    kSteps,     ///< "200 steps"
    kDate,      ///< 2026-01 or 2026-01-31
    kRecord,    ///< a map of declared keys
    kNamed,     ///< a map from free names to `of`
    kList,      ///< a list of `of`; a single value stands for a list of one
    kByGpu,     ///< `of`, "auto", or {by_gpu: {GPU: `of`, else: `of`}}
    kOneOf,     ///< any of `options`
    kMatrices,  ///< a list of [rows, columns]
    kAny,       ///< any YAML value
  };

  Kind kind = Kind::kText;
  std::string_view title{};  ///< of a record, unique: "limits", "train"; of others a phrase for messages or ""
  AmountKind amount = AmountKind::kCount;
  bool range = false;         ///< "20-24" is an interval
  bool figure = false;        ///< a single amount is read as +-20 % unless `exact: true` stands beside it
  bool whole = false;         ///< no fraction
  const Key* keys = nullptr;  ///< of a record
  std::size_t key_count = 0;
  const std::string_view* words = nullptr;
  std::size_t word_count = 0;
  std::size_t shown_words = 0;  ///< the first so many are named in texts, the rest are other spellings; 0: all
  const ValueType* of = nullptr;
  const ValueType* const* options = nullptr;
  std::size_t option_count = 0;
  std::string_view scalar_key{};  ///< key of the record that a text in its place stands for ("name" of a model)
  std::size_t max_items = 1000;
  std::size_t longest = 0;  ///< of a text, in characters; 0: as long as the file may be

  const Key* begin() const { return keys; }
  const Key* end() const;
  const Key* find(std::string_view name) const;
};

/// One key of a record.
struct Key {
  std::string_view name;
  std::string_view fallback;  ///< default as text; "required" when there is none; "" when absence means nothing
  std::string_view help;
  const ValueType* type;
  bool (*read)(Reader&, const Tree&, void* object, const Bounds&);
  Bounds bounds{};
  bool prose = false;  ///< told, never counted: no short address leads there, and nothing varies it

  bool required() const { return fallback == "required"; }
};

/// What a number without a unit means: "seconds"; "" for counts.
std::string_view bare_unit(AmountKind kind);
/// "a time such as 12 h or 45 min", "auto, none or full", "a map of name, gpu, ...".
std::string expected_text(const ValueType& type);
/// An amount in base units as it is written: "0 s", "90%", "876,000 h".
std::string amount_text(AmountKind kind, double value);
/// Names of the keys of a record, at most so many.
std::string key_list(const ValueType& type, std::size_t most);
/// "more than 0", "at least 1", "from 0.5 to 0.999"; "" when only the kind's own bound holds.
std::string bounds_text(const ValueType& type, const Bounds& bounds);

// Reading what many codecs share. All return false after reader.fail().
bool read_record(Reader&, const Tree&, void* object, const ValueType& type);
bool read_amount(Reader&, const Tree&, const ValueType&, const Bounds&, Interval<double>& out);
bool read_text(Reader&, const Tree&, std::string& out);
bool read_flag(Reader&, const Tree&, bool& out);
bool read_gpu(Reader&, const Tree&, std::string& gpu, int& count);                 ///< count 0: none in the text
bool read_gpus(Reader&, const Tree&, std::vector<std::string>& gpus, int& count);  ///< a family: "A100", "8x H100"
bool read_date(Reader&, const Tree&, std::string& out);
/// Position of the text in the names, or nullopt after reader.fail().
std::optional<std::size_t> read_word(Reader&, const Tree&, const ValueType& type);
bool expect_list(Reader&, const Tree&, const ValueType& type);
bool is_auto(const Tree&);

/// Fails with "expected ..., got ..." for this type.
bool mismatch(Reader&, const Tree&, const ValueType& type);

}  // namespace gpuplan
