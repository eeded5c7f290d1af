// Values that stand in lines of their own, below or above the number of their step: Coqui's Trainer
// (trainer/logging/console_logger.py), Ray (python/ray/tune/experimental/output.py,
// python/ray/tune/progress_reporter.py), Stable Baselines (stable_baselines3/common/logger.py); names behind their
// numbers: tinygrad (examples/mlperf/model_train.py).
#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "input/logs/fields/fields.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

/// Whether lines of any form are those of the run.
bool is_free(const LogBook& book) {
  const auto told = book.told_by();
  return !told || *told == LogFormat::kFields;
}

constexpr unsigned bit(StepValue quantity) { return 1U << static_cast<unsigned>(quantity); }

/// What has been listed is of the step that has been told.
void file_listed(LogBook& book, const LogLine& line) {
  StepRecord record = std::exchange(book.facts.listed, {});
  constexpr unsigned kSettings = bit(StepValue::kLearningRate) | bit(StepValue::kClock);
  if ((record.known & ~kSettings) == 0 || !book.facts.block) return;
  record.step = *book.facts.block;
  record.of_run = true;
  book.record(LogFormat::kFields, record, line);
}

}  // namespace

void heads_values(LogBook& book, double step, bool of_run) {
  if (!is_free(book) || (book.facts.listed_held_out && !of_run)) return;
  book.facts.block = step;
  book.facts.listed = {};
  book.facts.listed_held_out = false;
}

Match listing_rule(LogBook& book, const LogLine& line) {
  // The step of this table may stand below its losses.
  if (is_free(book) && line.text.find_first_not_of('-') == std::string_view::npos) book.facts.block.reset();
  return Match::kNo;
}

void listing_begins(LogBook& book, const LogLine& line, std::string_view) {
  if (!line.text.starts_with("Result for ") || !line.text.ends_with(':')) return;
  book.facts.listing = true;
  book.facts.listed = {};
  book.facts.block.reset();
}

void listing_held_out(LogBook& book, const LogLine&, std::string_view) { book.facts.listed_held_out = true; }
void listing_trains(LogBook& book, const LogLine&, std::string_view) { book.facts.listed_held_out = false; }

Match listed_value(LogBook& book, const LogLine& line) {
  LogFacts& facts = book.facts;
  if (facts.listing && !line.text.empty() && !line.text.starts_with(' ')) facts.listing = false;
  if (!is_free(book)) return Match::kNo;
  LogFields fields(line.text);
  LogField field, more;
  if (!fields.next(field) || field.name.empty()) return Match::kNo;
  // One value: what follows in brackets is its mean.
  while (fields.next(more))
    if (!more.name.empty()) return Match::kNo;
  const NamedValue named = meaning_of(field);
  if (named.kind == NamedValue::Kind::kNothing && facts.block)
    book.log.rewards = book.log.rewards || tells_rewards(field.name);
  if (named.kind == NamedValue::Kind::kStep) {
    if (field.fraction) return Match::kNo;
    if (facts.block != field.value) facts.block = field.value;
    file_listed(book, line);
    return Match::kNo;
  }
  const bool value = named.kind == NamedValue::Kind::kQuantity || named.kind == NamedValue::Kind::kStepRate;
  if (!value || !field.fraction) return Match::kNo;
  StepRecord one;
  NamedValue as = named;
  if (facts.listed_held_out) {
    if (named.kind != NamedValue::Kind::kQuantity || named.quantity != StepValue::kLoss) return Match::kNo;
    as.quantity = StepValue::kValidation;
  }
  note_value(book, one, as, field.value);
  if (one.known == 0) return Match::kNo;
  for (std::size_t i = 0; i < kStepValues; ++i)
    if (const auto quantity = static_cast<StepValue>(i); one.has(quantity)) facts.listed.set(quantity, one[quantity]);
  if (!facts.block || facts.listing) return Match::kNo;  // the step may stand below its values
  file_listed(book, line);
  return Match::kRecord;
}

Match names_behind_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double step = 0, value = 0;
  if (!is_free(book) || !scan::take_number(rest, step) || !rest.starts_with(' ') || !rest.contains(" loss,"))
    return Match::kNo;
  StepRecord record;
  record.step = step;
  while (scan::take_next(rest, value)) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trim(rest.substr(0, comma));
    const std::size_t blank = part.find(' ');
    const std::string_view unit = blank == std::string_view::npos ? std::string_view() : part.substr(0, blank);
    const std::string_view name = blank == std::string_view::npos ? part : trim(part.substr(blank + 1));
    const auto measure = field_measure(unit);
    if (part == "loss") {
      record.set(StepValue::kLoss, value);
    } else if (part == "LR" || part == "lr") {
      record.set(StepValue::kLearningRate, value);
    } else if (measure && measure->unit == FieldUnit::kTime && (name == "run" || name == "step" || name == "iter")) {
      record.set(StepValue::kStepSeconds, value * measure->scale);
    } else if (measure && measure->unit == FieldUnit::kBytes && name == "used") {
      book.memory(LoggedMemory::kAllocated, Bytes{value * measure->scale});
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!record.has(StepValue::kLoss)) return Match::kNo;
  book.record(LogFormat::kFields, record, line);
  return Match::kRecord;
}

/// "Maximum memory allocated so far is 21504MB", "peak memory allocated: 30.5 GiB", "Max CUDA memory usage: 41 GB": of
/// a GPU where the name says of what it is the peak.
void peak_memory(LogBook& book, const LogLine& line, std::string_view) {
  const auto says = [](std::string_view name, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [name](std::string_view part) { return name.contains(part); });
  };
  LogFields fields(line.text);
  for (LogField field; fields.next(field);) {
    const std::string_view name = field.name;
    const bool peak = says(name, {"ax", "eak"}) && says(name, {"CUDA", "GPU", "gpu", "VRAM"});
    if (!says(name, {"em", "VRAM"}) || !(peak || says(name, {"lloc", "eserv"}))) continue;
    const NamedValue named = meaning_of(field);
    if (named.kind != NamedValue::Kind::kAllocated && named.kind != NamedValue::Kind::kReserved) continue;
    StepRecord none;
    note_value(book, none, named, field.value);
  }
}

}  // namespace gpuplan
