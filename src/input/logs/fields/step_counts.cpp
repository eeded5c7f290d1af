// Which count of a line is its step, where no name says so: of batches, in brackets, at the head of the line.
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/logs/fields/step_line.h"

namespace gpuplan {

namespace {

/// WeNet's "Batch 0/100" is of epoch 0: what stands before the slash stays while the other grows.
bool counts_behind_slash(LogFacts& facts, const StepLine& it) {
  const bool grows = it.batch == facts.batch_told && it.batches > facts.batches_told;
  facts.batch_behind = facts.batch_behind || grows || it.batches < it.batch || it.batches == 0;
  facts.batch_told = it.batch;
  facts.batches_told = it.batches;
  return facts.batch_behind;
}

}  // namespace

namespace {

/// "[100] training_loss = 5.1" (big_vision): a count in brackets before the name. Ranks stand there, too, few of them
/// as large, and others come before them.
double counted_in_brackets(LogFacts& facts, std::string_view text, std::string_view name) {
  constexpr double kSurely = 64;
  constexpr int kOften = 8;
  if (name.empty()) return scan::kUnknown;
  std::string_view before = trim(text.substr(0, static_cast<std::size_t>(name.data() - text.data())));
  if (!before.ends_with(']')) return scan::kUnknown;
  before.remove_suffix(1);
  const std::size_t digits = before.find_last_not_of("0123456789") + 1;
  double count = 0;
  std::string_view number = before.substr(digits);
  if (digits == 0 || before[digits - 1] != '[' || !scan::take_number(number, count)) return scan::kUnknown;
  const double last = std::exchange(facts.bracket_told, count);
  if (count < last) facts.bracket_grows = facts.bracket_grows >= kOften ? 0 : -1;
  else if (count > last && facts.bracket_grows >= 0) ++facts.bracket_grows;
  const bool steps = facts.bracket_grows >= 0 && (count >= kSurely || facts.bracket_grows >= kOften);
  return steps ? count : scan::kUnknown;
}

}  // namespace

void find_step(LogBook& book, StepLine& it, const LogLine& line, double bare_step) {
  StepRecord& record = it.record;
  // "Epoch 1, Batch 50/938, Loss: 0.35": without another number it counts the steps of the epoch.
  if (record.epoch >= 0 && it.batch >= 0) {
    record.step = it.batch;
    record.of = it.batches;
    record.of_epoch = true;
    return;
  }
  if (it.loss_step >= 0) {
    record.step = it.loss_step;
    return;
  }
  if (!record.has(StepValue::kLoss)) return;
  if (it.bracket >= 0) {
    record.step = it.bracket;
    record.of = it.brackets;
    record.of_epoch = record.epoch >= 0;
    return;
  }
  if (it.batch >= 0 && !std::isnan(it.batches)) {
    const double told = book.facts.batch_told, of = book.facts.batches_told;
    if (!counts_behind_slash(book.facts, it)) {
      // "Batch 100/5000": what stands before the slash grows.
      if (!(it.batch > told) || it.batches != of) return;
      record.step = it.batch;
      record.of = it.batches;
      return;
    }
    record.step = it.batches;
    record.epoch = it.batch;
    record.of_epoch = true;
    return;
  }
  if (bare_step >= 0) record.step = bare_step;
  else record.step = counted_in_brackets(book.facts, line.text, it.loss_name);
  // "[10 | 17.50] loss=3.44" of gpt-2's fine-tuning: the step, and seconds so far
  std::string_view rest = line.text;
  double step = 0;
  // "[05-01 10:00:00|INFO|iter_speed.py:60] 100 : iter_speed 2.50 seconds per iteration | Loss: 0.4912" of Cosmos
  if (const std::size_t close = rest.starts_with('[') ? rest.find("] ") : std::string_view::npos;
      close != std::string_view::npos) {
    std::string_view message = rest.substr(close + 2);
    if (scan::take_number(message, step) && message.starts_with(" : ")) record.step = step;
  }
  if (scan::take(rest, "[") && scan::take_number(rest, step) && rest.starts_with(" | ")) record.step = step;
  // "100/5000 (2.0%) loss 2.31": no date has so many days.
  constexpr double kMostDays = 31;
  double total = 0;
  rest = line.text;
  if (std::isnan(record.step) && scan::take_number(rest, step) && scan::take(rest, "/") &&
      scan::take_number(rest, total) && total > kMostDays && step <= total && step == std::floor(step)) {
    record.step = step;
    record.of = total;
  }
}

}  // namespace gpuplan
