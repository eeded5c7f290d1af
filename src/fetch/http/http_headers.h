// What an answer's headers say, taken line by line from a server that may send anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuplan::fetch {

/// "bytes 100-199/1000"
struct ContentRange {
  std::uint64_t first = 0, last = 0;
  std::optional<std::uint64_t> whole{};
};
std::optional<ContentRange> read_content_range(std::string_view text);

class HttpHeaders {
 public:
  static constexpr std::size_t kMostBytes = 65'536;

  /// One line with its end. False: more than any honest server sends.
  bool take(std::string_view line);

  int status = 0;                                           ///< of the answer that came last; 0: no line of status yet
  std::string etag, last_modified, content_type, encoding;  ///< plain text of sensible length, or empty
  std::optional<std::uint64_t> length{};
  std::optional<ContentRange> range{};

  /// Two answers with it are the same byte for byte.
  bool strong_etag() const { return etag.starts_with('"'); }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace gpuplan::fetch
