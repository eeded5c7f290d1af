#include "input/logs/formats/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/sorting.h"
#include "base/text.h"
#include "input/logs/fields/fields.h"

namespace gpuplan {
namespace {

struct MappedName {
  std::string_view name;
  NamedValue value;
};
/// By the names that conditions use (docs/check.md). Memory is in GiB, as nearly all programs print it.
constexpr std::array kMapped = {
    MappedName{"step", {NamedValue::Kind::kStep}},
    MappedName{"loss", {NamedValue::Kind::kQuantity, StepValue::kLoss}},
    MappedName{"validation_loss", {NamedValue::Kind::kQuantity, StepValue::kValidation}},
    MappedName{"grad_norm", {NamedValue::Kind::kQuantity, StepValue::kGradNorm}},
    MappedName{"learning_rate", {NamedValue::Kind::kQuantity, StepValue::kLearningRate}},
    MappedName{"step_time", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds}},
    MappedName{"throughput", {NamedValue::Kind::kQuantity, StepValue::kTokens}},
    MappedName{"throughput_per_gpu", {NamedValue::Kind::kQuantity, StepValue::kTokensPerGpu}},
    MappedName{"samples_per_second", {NamedValue::Kind::kQuantity, StepValue::kSequences}},
    MappedName{"memory", {NamedValue::Kind::kAllocated, StepValue::kLoss, units::GiB.value}},
};

/// Cells of a line that is made of names or numbers alone.
template <class Take>
bool cells_of(std::string_view text, char separator, Take&& take) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(separator, at));
    std::string_view cell = trim(text.substr(at, end - at));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    if (!take(cell)) return false;
    at = end + 1;
  }
  return true;
}

bool is_bare_number(std::string_view text, double& value) { return scan::take_number(text, value) && text.empty(); }

}  // namespace

std::string LogNames::quantities() {
  std::vector<std::string> names;
  for (const MappedName& quantity : kMapped) names.emplace_back(quantity.name);
  return join(names, ", ");
}

Result<LogNames> LogNames::read(std::string_view text) {
  LogNames names;
  for (const std::string_view pair : split(text, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view quantity = trim(pair.substr(0, equals));
    const std::string_view name = equals == std::string_view::npos ? std::string_view() : trim(pair.substr(equals + 1));
    const auto* const found = std::ranges::find(kMapped, quantity, &MappedName::name);
    if (name.empty() || found == kMapped.end())
      return failure("--map: '" + printable(trim(pair), 60) +
                     "': expected QUANTITY=NAME, such as loss=objective; one of " + quantities());
    if (std::ranges::any_of(names.names_, [&](const auto& one) { return one.first == name; }))
      return failure("--map: '" + printable(name, 60) + "' is mapped twice; give each name of the log once");
    names.names_.emplace_back(name, found->value);
  }
  return names;
}

NamedValue LogNames::meaning(std::string_view name) const {
  for (const auto& [own, value] : names_) {
    if (name == own) return value;
    // "INFO trainer objective" ends with the name "objective".
    if (name.size() > own.size() && name.ends_with(own) && name[name.size() - own.size() - 1] == ' ') return value;
  }
  return {};
}

bool LogNames::step(LogBook& book, const LogLine& line) const {
  StepRecord record;
  bool any = false;
  LogFields fields(line.text);
  for (LogField field; fields.next(field);) {
    if (field.name.empty()) continue;
    const NamedValue named = meaning(field.name);
    if (named.kind == NamedValue::Kind::kNothing) continue;
    any = true;
    if (named.kind == NamedValue::Kind::kStep && field.total > 0) book.log.planned_steps = field.total;
    // Times that come with a unit of their own are read in it.
    const bool milliseconds = named.quantity == StepValue::kStepSeconds && field.unit == "ms";
    note_value(book, record, named, milliseconds ? field.value / 1e3 : field.value);
  }
  if (!any) return false;
  if (record.known == 0 && std::isnan(record.step)) {
    book.shows(LogFormat::kFields);
    return true;
  }
  if (std::isnan(record.step)) {
    std::uint32_t quantities = 0;
    for (const auto& [name, value] : names_)
      if (value.kind == NamedValue::Kind::kQuantity) quantities |= 1U << static_cast<unsigned>(value.quantity);
    book.mapped = {record, quantities};
    return false;
  }
  book.record(LogFormat::kFields, record, line);
  return true;
}

void LogColumns::add(std::string_view name, double value, LogPlace at) {
  const std::string shown = printable(trim(name), 48);
  auto found = std::ranges::find(columns_, shown, &LogColumn::name);
  if (found == columns_.end()) {
    if (columns_.size() == kMost) return;
    columns_.push_back({.name = shown, .first = value, .at = at});
    found = columns_.end() - 1;
  }
  ++found->count;
  found->last = value;
}

bool LogColumns::row(std::string_view text, LogPlace at) {
  if (first_) {
    first_ = false;
    separator_ = text.find('\t') != std::string_view::npos ? '\t' : ',';
    const bool names = cells_of(text, separator_, [&](std::string_view cell) {
      double value = 0;
      if (cell.empty() || cell.size() > 60 || is_bare_number(cell, value)) return false;
      head_.emplace_back(cell);
      return head_.size() <= kMost;
    });
    if (!names || head_.size() < 2) head_.clear();
    return !head_.empty();
  }
  if (head_.empty()) return false;
  std::vector<std::pair<std::size_t, double>> values;
  std::size_t count = 0;
  cells_of(text, separator_, [&](std::string_view cell) {
    double value = 0;
    if (is_bare_number(cell, value)) values.emplace_back(count, value);
    return ++count <= head_.size();
  });
  if (count != head_.size() || values.empty()) return false;
  for (const auto& [column, value] : values) add(head_[column], value, at);
  return true;
}

void LogColumns::line(const LogLine& line, std::uint32_t file) {
  const LogPlace at{file, line.number};
  if (row(line.text, at)) return;
  LogFields fields(line.text);
  for (LogField field; fields.next(field);)
    if (!field.name.empty()) add(field.name, field.value, at);
}

std::vector<LogColumn> LogColumns::found() const {
  std::vector<LogColumn> found;
  // What stands once is a setting or a word of a sentence.
  for (const LogColumn& column : columns_)
    if (column.count > 1) found.push_back(column);
  sort_stably(found, std::greater{}, &LogColumn::count);
  return found;
}

}  // namespace gpuplan
