// Lines of a log that comes in pieces, and what launchers put before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

/// Puts lines together. Line feed, carriage return (progress bars) and both end a line; only line feeds count.
class LineCutter {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20U;

  /// Calls `take(text, number, fed)` for every line that ends in `bytes`, without its end; `fed`: that is a line feed.
  template <class Take>
  void feed(std::string_view bytes, Take&& take);
  /// The rest without an end; empty when there is none.
  std::string_view rest() const { return rest_; }
  std::uint32_t number() const { return number_; }  ///< of the line that comes next
  std::uint64_t ended() const { return ended_; }    ///< line feeds met
  std::uint64_t cut() const { return cut_; }        ///< lines longer than kLongest
  /// A new text: what has not ended is forgotten.
  void restart();

 private:
  void keep(std::string_view piece);

  std::string rest_;
  std::uint32_t number_ = 1;
  std::uint64_t ended_ = 0, cut_ = 0;
  bool skipping_ = false;  ///< over what is beyond kLongest
};

template <class Take>
void LineCutter::feed(std::string_view bytes, Take&& take) {
  std::size_t feed = bytes.find('\n'), back = bytes.find('\r');
  std::size_t start = 0;
  while (true) {
    const std::size_t end = feed < back ? feed : back;
    if (end == std::string_view::npos) break;
    std::string_view line = bytes.substr(start, end - start);
    if (!rest_.empty() || skipping_) {
      keep(line);
      line = rest_;
    } else if (line.size() > kLongest) {
      ++cut_;
      line = line.substr(0, kLongest);
    }
    if (!line.empty()) take(line, number_, end == feed);
    rest_.clear();
    skipping_ = false;
    start = end + 1;
    if (end == feed) {
      ++number_;
      ++ended_;
      feed = bytes.find('\n', start);
    } else {
      back = bytes.find('\r', start);
    }
  }
  keep(bytes.substr(start));
}

/// Takes colours, marks of ranks and times off the front of a line. `buffer` holds the text where it had to be changed.
LogLine plain_line(std::string_view text, std::uint32_t number, std::string& buffer);

}  // namespace gpuplan
