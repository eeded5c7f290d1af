// The job's own quantities: regular expressions over the lines of a log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/logs/book/book.h"
#include "input/logs/reader.h"

namespace gpuplan {

/// What every match of a pattern must hold, so that most lines need not be looked at with the pattern.
struct Needle {
  std::string text;    ///< empty: nothing is known
  bool first = false;  ///< a match begins with it
};

/// The longest literal text of a pattern outside of groups, or its literal beginning.
Needle needle_of(std::string_view pattern);

class LogMetrics {
 public:
  static Result<LogMetrics> make(const std::vector<LogMetric>& metrics);
  LogMetrics(LogMetrics&&) noexcept;
  LogMetrics& operator=(LogMetrics&&) noexcept;
  ~LogMetrics();

  bool empty() const { return patterns_.empty(); }
  /// Every first match of a pattern in the line becomes a value; `whole`: the line has ended.
  void read(LogBook& book, const LogLine& line, bool whole) const;

 private:
  struct Pattern;
  LogMetrics();
  std::vector<Pattern> patterns_;
};

}  // namespace gpuplan
