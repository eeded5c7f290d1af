// Tables as people and programs export them, in pieces of any size: each damaged row is told and costs no other row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuplan {

/// Rows of cells between commas, semicolons or tabs, whichever the first row has most of; quotes as in RFC 4180; line
/// ends LF, CRLF or CR. Rows without text are passed over. Of a row with a quote that stands wrong or is never closed
/// only its first line is lost. CsvTable (csv.h) is the strict one, for files of which every row counts.
class CsvRows {
 public:
  static constexpr std::size_t kLongestRow = 65'536;  ///< bytes
  static constexpr std::size_t kMostCells = 1000;

  struct Row {
    std::uint64_t line = 0;  ///< on which it begins, from 1
    std::span<const std::string_view>
        cells{};  ///< without blanks around; valid until the next row; of a row with a problem its first line as one
    std::string_view problem{};  ///< why the row can not be read; empty: it can
  };

  /// Calls `take(const Row&)`.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    constexpr std::size_t kPiece = std::size_t{1} << 20U;  // what is held is copied
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece))) {
      add(bytes.substr(0, kPiece));
      while (next(false)) take(std::as_const(row_));
    }
  }
  /// No more comes.
  template <class Take>
  void end(Take&& take) {
    while (next(true)) take(std::as_const(row_));
  }

 private:
  enum class Scan { kWhole, kMore, kStray, kOpen, kLong };

  void add(std::string_view bytes);
  bool next(bool last);
  /// Cells of the row at `at`, which moves behind it.
  Scan scan(std::size_t& at, bool last);
  Scan quoted(std::size_t& at, bool last);
  /// False: it has not come yet.
  bool find_separator(bool last);
  bool skip_line(bool last);
  bool at_line_end(std::size_t at) const { return held_[at] == '\n' || held_[at] == '\r'; }

  std::string held_;  ///< what no row was made of yet, from at_ on
  std::size_t at_ = 0;
  bool waiting_ = false;                 ///< what is held is no whole row, and no line end has come since
  bool skipping_ = false;                ///< the rest of a line that is lost
  std::uint64_t line_ = 1, breaks_ = 0;  ///< breaks_: lines ended within quotes of this row
  char separator_ = ',';
  bool separated_ = false;  ///< the separator is known
  std::vector<std::string_view> cells_;
  std::deque<std::string> copies_;  ///< cells whose quotes had to be undone
  Row row_;
};

}  // namespace gpuplan
