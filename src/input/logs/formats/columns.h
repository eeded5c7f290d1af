// Logs of programs that are not known: the names that have numbers behind them, and those that the user says the
// meaning of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "input/logs/book/book.h"
#include "input/logs/book/names.h"

namespace gpuplan {

/// What the user says of names: "loss=objective,step=batch_idx".
class LogNames {
 public:
  /// Fails (bad input) for quantities that there are not, and for what is no list of them.
  static Result<LogNames> read(std::string_view text);
  /// The quantities that may be mapped, as messages list them.
  static std::string quantities();

  bool empty() const { return names_.empty(); }
  NamedValue meaning(std::string_view name) const;
  /// Whether a name is said to be that quantity.
  bool maps(StepValue quantity) const {
    for (const auto& [name, value] : names_)
      if (value.kind == NamedValue::Kind::kQuantity && value.quantity == quantity) return true;
    return false;
  }
  /// A line with one of the names, a number behind it. Writes it into the book; false: there is none, or the step is to
  /// be told by the line's own format (LogBook::mapped).
  bool step(LogBook& book, const LogLine& line) const;

 private:
  std::vector<std::pair<std::string, NamedValue>> names_;
};

/// Counts the names with numbers.
class LogColumns {
 public:
  void line(const LogLine& line, std::uint32_t file);
  void next_file() { head_.clear(), first_ = true; }
  std::vector<LogColumn> found() const;

 private:
  static constexpr std::size_t kMost = 64;
  bool row(std::string_view text, LogPlace at);
  void add(std::string_view name, double value, LogPlace at);

  std::vector<LogColumn> columns_;
  std::vector<std::string> head_;  ///< of a table
  char separator_ = ',';
  bool first_ = true;
};

}  // namespace gpuplan
