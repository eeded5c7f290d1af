// Takes a JSON text of any size in pieces and hands out the values that are wanted, one by one, so that a large one is
// never held whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

/// Where the wanted values stand: keys between points, "*" for any key, "[]" for each entry of a list, "{}" behind a
/// path for a map alone. "offers[].price", "terms.OnDemand.*.*", "[]", "offers{}". A text that is several JSON values
/// one after another (pages, or one record a line) is read as if each stood alone.
using JsonPath = std::string_view;

/// A value that was wanted.
struct JsonRecord {
  std::size_t path = 0;               ///< which of the paths
  std::span<const std::string> keys;  ///< the way to it, one for each step; "" for an entry of a list
  std::string_view text;              ///< valid JSON but for what stands in strings
  std::uint64_t number = 0;           ///< from 1, over all paths
  int line = 1;                       ///< where it begins
  const std::string* file = nullptr;

  /// The value; errors name file and line.
  Result<Tree> tree() const;
};

class JsonRecordSink {
 public:
  virtual ~JsonRecordSink() = default;
  /// A failure ends the reading and is passed on.
  virtual Result<void> record(const JsonRecord& record) = 0;
};

struct JsonRecordLimits {
  std::size_t bytes = 4'000'000;  ///< of one record, and of one key
  int depth = 64;
};

class JsonRecords {
 public:
  static constexpr std::size_t kMostPaths = 32;

  /// `sink` outlives this. REQUIRES: at most kMostPaths.
  JsonRecords(std::span<const JsonPath> paths, std::string file, JsonRecordSink& sink, JsonRecordLimits limits = {});

  /// Fails where the text is no JSON, nested too deeply, or holds a record that is too large; all that stands outside
  /// of records is checked too, but for the inside of strings.
  Result<void> take(std::string_view piece);
  /// Fails where the text broke off, or held nothing.
  Result<void> finish();
  std::uint64_t records() const { return records_; }

 private:
  struct Step {
    enum class Kind : std::uint8_t { kKey, kAnyKey, kEntry } kind = Kind::kKey;
    std::string key{};
  };
  struct Path {
    std::vector<Step> steps{};
    bool map_only = false;
  };
  struct Level {
    bool map = false;
    std::uint32_t open = 0;  ///< paths that still lead on from here, one bit each
  };
  enum class Mode : std::uint8_t { kValue, kFirstEntry, kFirstKey, kKey, kColon, kAfter, kString, kEscape, kWord };

  static Path parse(JsonPath text);
  Level& level() { return levels_[static_cast<std::size_t>(depth_)]; }
  const Level& level() const { return levels_[static_cast<std::size_t>(depth_)]; }
  std::unexpected<Error> wrong(const std::string& what, const char* at) const;
  const char* expected() const;
  Result<void> piece(const char* begin, const char* end);
  /// What a value is that begins here: a record, on the way to one, or neither.
  void begin_value(const char* at, bool map);
  Result<void> end_value(const char* past);
  Result<void> open(const char* at, bool map);
  Result<void> close(const char* at, bool map);
  Result<void> end_key(const char* at);
  Result<void> end_word(const char* past);
  void keep_from(const char* at);
  /// What was kept, up to here; too much of it fails.
  Result<std::string_view> kept(const char* past);

  std::vector<Path> paths_;
  std::string file_;
  JsonRecordSink* sink_;
  JsonRecordLimits limits_;

  std::vector<Level> levels_;  ///< [0]: the text itself
  int depth_ = 0;
  Mode mode_ = Mode::kValue;
  bool key_string_ = false;        ///< the string being read is a key
  bool any_ = false;               ///< some value began
  std::vector<std::string> keys_;  ///< [n]: key of the value being read at depth n + 1
  std::uint32_t next_ = 0;         ///< paths that lead on through the value being begun

  int record_depth_ = -1;  ///< where the record stands that is being read; -1: none is
  std::size_t record_path_ = 0;
  int record_line_ = 1;
  std::uint64_t records_ = 0;

  // A record or a key that is kept, and a word.
  bool keeping_ = false;
  const char* kept_from_ = nullptr;  ///< in this piece
  std::string kept_;                 ///< of earlier pieces
  const char* word_from_ = nullptr;
  std::string word_;

  const char* piece_ = nullptr;  ///< where this one begins
  std::uint64_t before_ = 0;     ///< bytes of earlier ones
  std::uint64_t line_at_ = 0;    ///< offset of the first byte of this line
  int line_ = 1;
  bool failed_ = false;
};

/// Whether each of these stands in the beginning of a text, which may be cut off anywhere.
bool json_begins_with(std::string_view head, std::span<const JsonPath> paths);

}  // namespace gpuplan
