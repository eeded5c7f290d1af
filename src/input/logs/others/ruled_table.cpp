#include "input/logs/others/ruled_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/logs/fields/fields.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongest = 256;

/// What a column is by its name, or by its first word ("LOSS NER": of a part of the model); "#" counts steps.
NamedValue column_of(std::string_view name) {
  if (name == "#") return {NamedValue::Kind::kStep, StepValue::kLoss, 1};
  if (name == "E") return {NamedValue::Kind::kEpoch, StepValue::kLoss, 1};
  const NamedValue whole = meaning_of_key(name);
  if (whole.kind != NamedValue::Kind::kNothing) return whole.kind == NamedValue::Kind::kMeanTime ? NamedValue{} : whole;
  const NamedValue first = meaning_of_key(name.substr(0, name.find(' ')));
  const bool loss = first.kind == NamedValue::Kind::kQuantity && first.quantity == StepValue::kLoss;
  return loss ? first : NamedValue{};
}

/// Runs of dashes and blanks, two of them at least.
bool is_rule(std::string_view text) {
  if (!text.starts_with("--") || text.find_first_not_of("- ") != std::string_view::npos) return false;
  return trim(text).contains(' ');
}

std::vector<std::string_view> cells_of(std::string_view text) {
  std::vector<std::string_view> cells;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    cells.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return cells;
}

}  // namespace

bool RuledTable::begins(std::string_view rule) {
  std::vector<NamedValue> columns;
  bool counts = false, loss = false;
  for (std::size_t at = 0; at < rule.size();) {
    const std::size_t end = std::min(rule.find(' ', at), rule.size());
    const std::size_t next = std::min(rule.find('-', end), rule.size());
    const std::string_view name =
        at < above_.size() ? trim(std::string_view(above_).substr(at, next == rule.size() ? next : end - at)) : "";
    NamedValue column = column_of(name);
    const bool taken = std::ranges::any_of(columns, [&](const NamedValue& other) {
      return other.kind == column.kind && other.quantity == column.quantity;
    });
    if (taken) column = {};
    counts = counts || column.kind == NamedValue::Kind::kStep || column.kind == NamedValue::Kind::kEpoch;
    loss = loss || column.kind == NamedValue::Kind::kQuantity;
    columns.push_back(column);
    at = next;
  }
  if (!counts || !loss) return false;
  columns_ = std::move(columns);
  return true;
}

Match RuledTable::line(LogBook& book, const LogLine& line) {
  if (is_rule(line.text) && !above_.empty() && begins(line.text)) {
    book.shows(LogFormat::kTable);
    return Match::kRecord;
  }
  if (!columns_.empty() && row(book, line) == Match::kRecord) return Match::kRecord;
  // Copied, which takes less time than to look whether it may be names.
  if (line.text.size() <= kLongest) above_ = line.text;
  else above_.clear();
  return Match::kNo;
}

Match RuledTable::row(LogBook& book, const LogLine& line) const {
  if (line.text.size() > kLongest) return Match::kNo;
  const std::vector<std::string_view> cells = cells_of(line.text);
  if (cells.size() != columns_.size()) return Match::kNo;
  StepRecord record;
  double epoch = scan::kUnknown;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (columns_[i].kind == NamedValue::Kind::kNothing) continue;
    std::string_view text = cells[i];
    double value = 0;
    if (!scan::take_count(text, value) && !scan::take_number(text, value)) return Match::kNo;
    if (columns_[i].kind == NamedValue::Kind::kEpoch) epoch = value;
    else note_value(book, record, columns_[i], value);
  }
  if (epoch >= 0) {
    book.epoch(epoch);
    if (std::isnan(record.step)) record.epoch = epoch;
  }
  if (record.known == 0) return Match::kNo;
  book.record(LogFormat::kTable, record, line);
  return Match::kRecord;
}

}  // namespace gpuplan
