// What reads one format of price lists.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "input/feeds/rows/feed_rows.h"

namespace gpuplan {

/// One list, taken in pieces of any size, so that large ones are never held whole.
class FeedReader {
 public:
  FeedReader() = default;
  FeedReader(const FeedReader&) = delete;
  FeedReader& operator=(const FeedReader&) = delete;
  virtual ~FeedReader() = default;
  /// Fails where the text can not be what it began as. The error names file and line, or byte.
  virtual Result<void> take(std::string_view piece) = 0;
  /// After the last piece: rows still held are handed on. A truncated text fails.
  virtual Result<void> finish() = 0;
};

inline constexpr std::size_t kFeedHead = 65'536;

/// A format that is known.
struct FeedFormat {
  std::string_view name;      ///< for --from: "skypilot"
  std::string_view title;     ///< "SkyPilot catalogue"
  std::string_view provider;  ///< whose list it is: "lambda"; empty: the rows say, or the name of the file
  /// Whether a list is of this format, by its first kFeedHead bytes (all of a shorter one).
  bool (*begins)(std::string_view head);
  /// `rows` outlives the reader.
  std::unique_ptr<FeedReader> (*reader)(FeedRows& rows);
};

}  // namespace gpuplan
