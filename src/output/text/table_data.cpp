// Tables for other programs: CSV and JSON of the columns that have a key.
#include <algorithm>
#include <cmath>

#include "base/safe_text.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

std::string csv_figure(double figure) {
  if (!std::isfinite(figure)) return "";
  constexpr double kWhole = 1e15;  // counts are exact
  if (figure == std::trunc(figure) && std::abs(figure) < kWhole) return number_text(figure);
  return significant_text(figure, 6);  // six digits are more than any of our figures is known to
}

/// Spreadsheets take a cell that begins with one of these for a formula, which may start programs or send cells away
/// (OWASP, "CSV Injection"); full-width forms are read as the signs themselves. An apostrophe in front makes it a text.
/// What a spreadsheet takes for a number ("-5", "+3%") is none.
bool is_formula(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  if (text.empty()) return false;
  if (text.front() == '\t' || text.front() == '\r' || text.front() == '\n') return true;
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kSpaces)));
  for (const std::string_view sign : {"=", "@", "＝", "＠", "＋", "－"})
    if (text.starts_with(sign)) return true;
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  const std::string_view rest = text.substr(1);
  return rest.find_first_not_of("0123456789.,% ") != std::string_view::npos ||
         rest.find_first_of("0123456789") == std::string_view::npos;
}

std::string csv_text(std::string_view plain) {
  std::string text = safe_text(plain);
  std::ranges::replace(text, '\n', ' ');
  if (is_formula(plain)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) (quoted += c) += c == '"' ? "\"" : "";
  return quoted + '"';
}

std::string csv_cell(const Cell& cell) {
  if (cell.number) return csv_figure(*cell.number);
  return csv_text(cell.text);
}

}  // namespace

std::string Table::csv() const {
  std::string result;
  const auto add_line = [&](auto&& text_of) {
    std::string line;
    bool first = true;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].key.empty()) continue;
      if (!first) line += ',';
      line += text_of(c);
      first = false;
    }
    result += line + '\n';
  };
  add_line([&](std::size_t c) { return columns_[c].key; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return c < row.size() ? csv_cell(row[c]) : ""; });
  return result;
}

std::string joined_csv(std::string_view key, const std::vector<NamedTable>& tables) {
  std::string result;
  for (const auto& [name, table] : tables) {
    const std::string text = table.csv();
    bool heads = true;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = rest.find('\n') + 1;  // cells are one line
      if (!heads) result += csv_text(name) + ',' + std::string(rest.substr(0, end));
      else if (result.empty()) result = std::string(key) + ',' + std::string(rest.substr(0, end));
      heads = false;
      rest.remove_prefix(end);
    }
  }
  return result;
}

void Table::write_json(JsonWriter& json) const {
  json.begin_array();
  for (const auto& row : rows_) {
    json.begin_object(true);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].key.empty()) continue;
      json.key(columns_[c].key);
      if (c < row.size() && row[c].number) json.value(*row[c].number);
      else if (c < row.size() && !row[c].text.empty()) json.value(row[c].text);
      else json.null();
    }
    json.end();
  }
  json.end();
}

}  // namespace gpuplan
