// Tells the log of a run from a document or a program that quotes lines of one.
#pragma once

#include <cstdint>
#include <string_view>

#include "input/logs/book/scan.h"

namespace gpuplan {

/// Lines of documents and of programs, which may quote a log.
class Quoting {
 public:
  void record() {
    if (records_ < kFew) ++records_;
    code_ = 0;
  }
  void text(std::string_view line) {
    scan::skip_spaces(line);
    if (line.size() < 3) return;
    switch (line.front()) {
      case '`':
        if (line.starts_with("```")) ++marks_, ++code_;
        break;
      case '#':
        if (line.starts_with("## ") || line.starts_with("### ")) ++marks_, ++code_;
        break;
      case 'd':
        if (line.starts_with("def ")) ++code_;
        break;
      case 'c':
        if (line.starts_with("class ")) ++code_;
        break;
      default:
        break;
    }
  }
  /// Few lines of a log in a text that goes on after them, or has the marks of a document. A program at the top of its
  /// own log ends before it.
  bool quotes() const {
    constexpr std::uint32_t kCode = 3, kMarks = 8;
    return records_ > 0 && records_ < kFew && (code_ >= kCode || marks_ >= kMarks);
  }

 private:
  static constexpr std::uint32_t kFew = 50;
  std::uint32_t records_ = 0, marks_ = 0;
  std::uint32_t code_ = 0;  ///< since the last record
};

}  // namespace gpuplan
