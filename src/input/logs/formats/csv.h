// Tables in logs: Lightning's metrics.csv, W&B's exports, nvidia-smi's samples. Which one it is, its first line says.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "input/logs/book/book.h"
#include "input/logs/book/names.h"
#include "input/logs/formats/columns.h"

namespace gpuplan {

class LogCsv {
 public:
  /// The file's: TensorBoard names what it lets people download by run and tag, and the column of values "Value".
  void name_file(std::string_view name);
  /// Looks whether the line is the head of a table; those of metrics only begin a file.
  bool head(LogBook& book, const LogLine& line, bool first, const LogNames& names);
  bool open() const { return !columns_.empty(); }
  /// Whether the text begins with a whole number and the separator, and a table is open.
  bool begins_row(std::string_view text) const {
    if (columns_.empty() || format_ == LogFormat::kNvidiaSmi) return false;
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    return digits > 0 && digits < text.size() && text[digits] == separator_;
  }
  /// A row of the table, if the line is one.
  Match row(LogBook& book, const LogLine& line) const;
  void forget() { columns_.clear(); }

 private:
  struct Column {
    enum class Kind { kOther, kValue, kGpu, kBusy, kMemory, kName, kWritten, kRate } kind = Kind::kOther;
    NamedValue value;
  };

  static std::string_view inside(std::string_view text);  ///< of a row between bars
  bool sample_head(std::string_view text);
  bool bench_head(std::string_view text);
  bool metrics_head(std::string_view text, const LogNames& names);
  Match sample(LogBook& book, const LogLine& line) const;
  Match bench(LogBook& book, const LogLine& line) const;
  Match metrics(LogBook& book, const LogLine& line) const;

  LogFormat format_ = LogFormat::kNvidiaSmi;
  char separator_ = ',';
  std::vector<Column> columns_;
  NamedValue tag_;  ///< what the name of the file says of its values
};

}  // namespace gpuplan
