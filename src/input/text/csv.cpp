#include "input/text/csv.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "input/text/plain_text.h"

namespace gpuplan {
namespace {

/// Bytes at which an unquoted cell may not go on: comma, line ends and quote.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const char c : {',', '\n', '\r', '"'}) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

}  // namespace

/// One pass over the text.
struct CsvTable::Scanner {
  CsvTable& table;
  std::string_view text;
  std::size_t at = 0;
  std::uint32_t line = 1;
  std::optional<Error> error;

  bool stop(std::string message, std::uint32_t where) {
    error = Error{std::move(message), Place{table.file_, static_cast<int>(where), 0}, false};
    return false;
  }

  bool at_line_end() const { return at >= text.size() || text[at] == '\n' || text[at] == '\r'; }

  bool skip_line_end() {
    if (at >= text.size()) return true;
    if (text[at] == '\r') {
      if (at + 1 >= text.size() || text[at + 1] != '\n')
        return stop("carriage return without line feed; lines must end in LF or CRLF", line);
      ++at;
    }
    ++at;
    ++line;
    return true;
  }

  /// A cell in quotes; `at` stands behind the opening one.
  bool quoted(std::string_view& cell) {
    const std::uint32_t opened = line;
    const std::size_t start = at;
    bool doubled = false;
    while (true) {
      const std::size_t quote = text.find('"', at);
      if (quote == std::string_view::npos) return stop("missing closing quote of the cell that starts here", opened);
      line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                    text.begin() + static_cast<std::ptrdiff_t>(quote), '\n'));
      at = quote + 1;
      if (at < text.size() && text[at] == '"') {
        doubled = true;
        ++at;
        continue;
      }
      break;
    }
    cell = text.substr(start, at - 1 - start);
    if (!at_line_end() && text[at] != ',')
      return stop("text after a closing quote; double the quotes inside a quoted cell", line);
    if (!doubled) return true;
    std::string& copy = table.copies_.emplace_back();
    copy.reserve(cell.size());
    for (std::size_t i = 0; i < cell.size(); ++i) {
      copy += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = copy;
    return true;
  }

  bool plain(std::string_view& cell) {
    const char* const start = text.data() + at;
    const char* const end = text.data() + text.size();
    const char* here = start;
    while (here != end && !kStops[static_cast<unsigned char>(*here)]) ++here;
    if (here != end && *here == '"') return stop("quote inside an unquoted cell", line);
    cell = std::string_view(start, static_cast<std::size_t>(here - start));
    at += cell.size();
    return true;
  }

  /// Cells of one line; false with an error.
  template <class Take>
  bool row(Take take) {
    while (true) {
      std::string_view cell;
      if (at < text.size() && text[at] == '"') {
        ++at;
        if (!quoted(cell)) return false;
      } else if (!plain(cell)) {
        return false;
      }
      if (!take(cell)) return false;
      if (at_line_end()) return skip_line_end();
      ++at;  // the comma
    }
  }

  bool skip_blank_lines() {
    while (at < text.size() && at_line_end())
      if (!skip_line_end()) return false;
    return true;
  }

  bool header() {
    if (!skip_blank_lines()) return false;
    // Of a file that was pasted behind another.
    while (text.substr(at).starts_with("\xEF\xBB\xBF")) {
      at += 3;
      if (!skip_blank_lines()) return false;
    }
    if (at >= text.size()) return stop("the file is empty; expected a header row and data rows", line);
    const std::uint32_t where = line;
    const bool read = row([&](std::string_view cell) {
      cell = trim(cell);
      Column column{cell, {}};
      const std::size_t bracket = cell.find('[');
      if (bracket != std::string_view::npos && cell.ends_with(']')) {
        column.name = trim(cell.substr(0, bracket));
        column.unit = trim(cell.substr(bracket + 1, cell.size() - bracket - 2));
      }
      const auto same = table.find(column.name, column.unit);
      if (!column.name.empty() && same && iequals(table.unit(*same), column.unit))
        return stop("column '" + printable(column.name) + "' is repeated in the header", where);
      table.header_.push_back(column);
      return table.header_.size() <= kMaxColumns || stop("more than 1000 columns", where);
    });
    if (!read) return false;
    // Spreadsheets of some countries export with other separators.
    const bool alone =
        table.header_.size() == 1 && table.header_[0].name.find_first_of(";\t") != std::string_view::npos;
    return !alone || stop("columns are separated by semicolons or tabs; use commas", where);
  }

  bool data() {
    const std::size_t columns = table.header_.size();
    table.cells_.reserve(std::min(text.size() / 8, kMaxCells));
    while (skip_blank_lines() && at < text.size()) {
      const std::uint32_t where = line;
      std::size_t count = 0;
      const bool read = row([&](std::string_view cell) {
        ++count;
        if (count <= columns) table.cells_.push_back(cell);
        return table.cells_.size() <= kMaxCells || stop("more than 4 million cells", where);
      });
      if (!read) return false;
      if (count != columns)
        return stop("this row has " + std::to_string(count) + (count == 1 ? " cell" : " cells") + ", the header has " +
                        std::to_string(columns),
                    where);
      table.lines_.push_back(where);
    }
    return !error;
  }

  static constexpr std::size_t kMaxColumns = 1000;
};

Result<CsvTable> CsvTable::parse(std::string_view text, std::string_view file) {
  CsvTable table;
  table.file_ = std::string(file);
  if (text.size() > kMaxBytes) return failure("the file is larger than 64 MiB", {table.file_, 0, 0});
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto bad = first_bad_byte(text)) return bad_byte_failure(text, *bad, table.file_, "a table as CSV text");
  Scanner scanner{table, text, 0, 1, {}};
  if (!scanner.header() || !scanner.data()) return std::unexpected(*std::move(scanner.error));
  return table;
}

std::optional<std::size_t> CsvTable::find(std::string_view name, std::string_view unit) const {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (!iequals(header_[i].name, name)) continue;
    if (iequals(header_[i].unit, unit)) return i;
    if (!first) first = i;
  }
  // "Price per hour" is price_per_hour to a person.
  for (std::size_t i = 0; i < header_.size() && !first; ++i)
    if (squeeze(header_[i].name) == squeeze(name)) first = i;
  return first;
}

}  // namespace gpuplan
