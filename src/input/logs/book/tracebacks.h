// Python's tracebacks: the exception at their end is what a run breaks off with, unless Python goes on after it.
#pragma once

#include <cstdint>
#include <optional>

#include "input/logs/book/book.h"

namespace gpuplan {

/// Those of one file.
class Tracebacks {
 public:
  /// True for all lines of a traceback; at the end of one that ends the run its exception is written into the book.
  bool line(LogBook& book, const LogLine& line) {
    const char first = line.text.empty() ? ' ' : line.text.front();
    if (!begun_ && coming_ == 0 && ended_ == Noise::kNone && first != 'T' && first != kBox) [[likely]]
      return false;
    return any_line(book, line);
  }
  /// What a line that is none of them says of the next one.
  void noise(Noise noise, const LogLine& line) {
    if (noise != Noise::kNone) comes(noise, line);
  }
  /// Whether the line is a bar, not ended, with the words behind it that begin a traceback.
  static bool may_be_glued(const LogLine& line) { return line.text.ends_with(':') || line.text.ends_with('>'); }
  void glued(const LogLine& line);
  bool open() const { return begun_.has_value(); }
  void end(LogBook& book) const;

 private:
  static constexpr char kBox = '\xe2';  ///< what corners and sides of boxes begin with
  bool any_line(LogBook& book, const LogLine& line);
  void comes(Noise noise, const LogLine& line);
  void begin(const LogLine& line);
  void inside(const LogLine& line);
  void exception(LogBook& book, const LogLine& line);
  bool without_frames(const LogLine& line);

  std::optional<LogLine> begun_;  ///< its exception has not come yet
  Noise noise_ = Noise::kNone;    ///< of that one
  bool framed_ = false, closing_ = false;
  Noise next_ = Noise::kNone;  ///< of the ones that come next,
  std::uint32_t coming_ = 0;   ///< so many,
  std::uint32_t said_at_ = 0;  ///< told of in this line
  Noise ended_ = Noise::kNone;
  bool chained_ = false;  ///< the next one is of the exception that ended last
};

}  // namespace gpuplan
