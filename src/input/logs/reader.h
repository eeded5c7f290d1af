// Reads the logs of training and inference programs without being told which wrote them. See input/logs/formats.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "evidence/log/run_log.h"

namespace gpuplan {

/// A quantity that the job reads from its log: the first group of a regular expression (RE2's syntax) is its value, a
/// number; a percent sign behind the group makes it a hundredth ("18.6%" is 0.186).
struct LogMetric {
  std::string name;
  std::string pattern;
};

/// How a log of a program that is not known is read.
struct LogReading {
  std::string names{};   ///< what the user says of its names: "loss=objective,step=batch"; empty: nothing
  bool columns = false;  ///< list all names with numbers (RunLog::columns)
};

/// Takes a log in pieces of any size: text, gzip of it, or a TensorBoard event file. Memory does not grow with the log.
class LogReader {
 public:
  /// Fails (bad input, names the metric) when a pattern is no regular expression or has no group, and for names that
  /// cannot be read.
  static Result<LogReader> make(const std::vector<LogMetric>& metrics, const LogReading& reading = {});
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  /// The name of the file that is fed next: it may say what its values are (TensorBoard's downloads).
  void name_file(std::string_view name);
  /// The next bytes of the log.
  void feed(std::string_view bytes);
  /// What follows is another file of the same run: its log before it was started again, or what nvidia-smi wrote. Its
  /// lines count from 1, and it may be compressed or binary for its own part.
  void next_file();
  /// What it said so far, an incomplete last line left aside; more may be fed afterwards.
  const RunLog& log();
  /// The last line counts even without a line feed, but for a number that it ends in the middle of. Fails for gzip that
  /// is damaged from its first byte on; a cut off tail is said in the log.
  Result<RunLog> finish();

 private:
  struct State;
  explicit LogReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gpuplan
