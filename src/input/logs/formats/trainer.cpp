// Hugging Face's Trainer on a terminal: Python dicts, tqdm's bars, and the preamble of its logger.
#include "input/logs/formats/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/formats/fields.h"
#include "input/logs/formats/formats.h"
#include "input/logs/formats/keywords.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

/// A value of a dict up to the ',' or '}' behind it: numbers, numbers in quotes, True, None, strings, nested lists.
/// Takes the text up to that sign; false when the sign is missing.
bool take_value(std::string_view& rest, double& value) {
  scan::skip_spaces(rest);
  value = scan::kUnknown;
  bool number = false;
  if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
    const char quote = rest.front();
    rest.remove_prefix(1);
    const auto inside = scan::take_until(rest, quote);
    if (!inside) return false;
    std::string_view text = *inside;
    number = scan::take_number(text, value) && text.empty();
  } else {
    number = scan::take_number(rest, value);
  }
  if (!number) value = scan::kUnknown;
  int depth = 0;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const char c = rest.front();
    if (depth == 0 && (c == ',' || c == '}')) return true;
    if (c == '[' || c == '{' || c == '(') ++depth;
    else if (c == ']' || c == '}' || c == ')') --depth;
  }
  return false;
}

Match dict(LogBook& book, const LogLine& line, std::string_view rest) {
  TrainerRecord record;
  rest.remove_prefix(1);
  while (true) {
    scan::skip_spaces(rest);
    if (take(rest, "}")) break;
    if (rest.empty()) return Match::kBroken;
    const char quote = rest.front();
    if (quote != '\'' && quote != '"') return Match::kNo;
    rest.remove_prefix(1);
    const auto key = scan::take_until(rest, quote);
    double value = 0;
    if (!key || !take(rest, ":") || !take_value(rest, value)) return Match::kBroken;
    record.note(book, *key, value);
    take(rest, ",");
  }
  return record.close(book, LogFormat::kTrainerOutput, line) ? Match::kRecord : Match::kNo;
}

/// "00:48" and "1:02:03", up to `end`.
bool take_duration(std::string_view& rest, double& seconds) {
  double part = 0;
  seconds = 0;
  do {
    if (rest.empty() || !is_digit(rest.front()) || !scan::take_number(rest, part)) return false;
    seconds = 60 * seconds + part;
  } while (take(rest, ":"));
  return true;
}

/// A bar of another length than the training's is an evaluation's. Where no preamble tells the steps, the first bar is
/// taken for the training's, and one after it if the first came to its end without a loss.
bool is_training_bar(LogBook& book, double total) {
  std::optional<double>& known = book.facts.bar_total;
  if (!known && book.log.planned_steps.value_or(total) == total) known = total;
  if (known == total) {
    book.log.planned_steps = total;
    return true;
  }
  if (!known || !book.log.loss.empty() || book.log.last_step.value_or(0) < *known) return false;
  book.forget_steps(LogFormat::kTrainerOutput);
  book.log.planned_steps = known = total;
  return true;
}

/// "  6%|▌         | 73/1300 [00:48<13:57,  1.47it/s]". Bars with words before them are of loading and mapping.
Match bar(LogBook& book, const LogLine& line, std::string_view rest) {
  double percent = 0, total = 0, elapsed = 0, left = 0, rate = 0;
  if (!scan::take_number(rest, percent) || !take(rest, "%|")) return Match::kNo;
  const auto drawn = scan::take_until(rest, '|');
  StepRecord record;
  if (!drawn || !take_next(rest, record.step) || !take(rest, "/") || !take_next(rest, total)) return Match::kNo;
  if (!take(rest, " [") || !take_duration(rest, elapsed) || !take(rest, "<")) return Match::kBroken;
  if (!take(rest, "?") && !take_duration(rest, left)) return Match::kBroken;
  if (!take(rest, ",")) return Match::kBroken;
  scan::skip_spaces(rest);
  const bool known = scan::take_number(rest, rate);
  if (!known && !take(rest, "?")) return Match::kBroken;
  if (!(total > 0)) return Match::kNo;
  const bool reciprocal = rest.starts_with("s/it");
  if (!reciprocal && !rest.starts_with("it/s")) return Match::kNo;
  if (is_training_bar(book, total)) {
    book.elapsed(Seconds{elapsed});
    if (known && rate > 0) record.set(StepValue::kStepSeconds, reciprocal ? rate : 1 / rate);
    // tqdm's postfix, "1.5it/s, loss=2.31, lr=1e-5]"
    LogFields fields(rest.substr(0, rest.find(']')));
    for (LogField field; fields.next(field);)
      if (const NamedValue named = meaning_of(field);
          named.kind == NamedValue::Kind::kQuantity &&
          (named.quantity == StepValue::kLoss || named.quantity == StepValue::kLearningRate ||
           named.quantity == StepValue::kGradNorm))
        note_value(book, record, named, field.value);
    book.record(LogFormat::kTrainerOutput, record, line, TimeSource::kBar);
  }
  // Records and sentences are often printed behind the bar, on the same line.
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos) return Match::kRecord;
  rest.remove_prefix(end + 1);
  const std::size_t brace = rest.find("{'");
  if (brace == std::string_view::npos) {
    LogLine behind = line;
    behind.text = rest;
    read_sentences(book, behind);
    return Match::kRecord;
  }
  const Match behind = dict(book, line, rest.substr(brace));
  return behind == Match::kNo ? Match::kRecord : behind;
}

/// Trainer's logger writes "  Num examples = 1,000": the number behind the words.
std::optional<double> logged(std::string_view rest) {
  const auto value = scan::amount(rest);
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace

void TrainerRecord::note(LogBook& book, std::string_view name, double value) {
  if (name == "train_runtime") run_time_ = value;
  else if (name == "train_steps_per_second") steps_per_second_ = value;
  else if (name == "train_tokens_per_second") tokens_per_second_ = value;
  else if (name == "epoch") epoch_ = value;
  else if (name == "train_loss") return;                                  // the mean of the run
  else if (name == "throughput") record_.set(StepValue::kTokens, value);  // LLaMA-Factory; Megatron's is of FLOPs
  else note_value(book, record_, name, value);
}

/// On a terminal a record does not say its step: the bar beside it does, or its epoch, to two decimals or more.
double TrainerRecord::guessed_step(const LogBook& book) const {
  if (book.facts.bar_total) return book.step();
  if (!book.log.planned_steps || !(book.facts.epochs.value_or(0) > 0) || !(epoch_ >= 0)) return scan::kUnknown;
  const double step = std::round(epoch_ / *book.facts.epochs * *book.log.planned_steps);
  const bool again = record_.has(StepValue::kLoss) ? step <= book.step() : step < book.step();
  return again ? scan::kUnknown : step;
}

bool TrainerRecord::close(LogBook& book, LogFormat format, const LogLine& line) {
  RunLog& log = book.log;
  if (!std::isnan(run_time_)) {
    log.run_time = Seconds{run_time_};
    book.ends(line);
    StepRecord mean;
    mean.step = record_.step;
    if (steps_per_second_ > 0) mean.set(StepValue::kStepSeconds, 1 / steps_per_second_);
    if (tokens_per_second_ > 0 && log.tokens_per_second.empty()) mean.set(StepValue::kTokens, tokens_per_second_);
    book.record(format, mean, line, TimeSource::kMean);
    return true;
  }
  // A learning rate alone is a setting.
  if ((record_.known & ~(1U << static_cast<unsigned>(StepValue::kLearningRate))) == 0) return false;
  if (std::isnan(record_.step)) record_.step = guessed_step(book);
  book.epoch(epoch_);
  book.record(format, record_, line);
  return true;
}

Match trainer_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  scan::skip_spaces(rest);
  if (rest.starts_with('{')) return dict(book, line, rest);
  return bar(book, line, rest);
}

void trainer_starts(LogBook& book, const LogLine&, std::string_view) {
  book.starts();
  book.shows(LogFormat::kTrainerOutput);
}

void trainer_epochs(LogBook& book, const LogLine&, std::string_view rest) { book.facts.epochs = logged(rest); }
void trainer_device_batch(LogBook& book, const LogLine&, std::string_view rest) {
  book.facts.device_batch = logged(rest);
}
void trainer_batch(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto value = logged(rest)) book.log.sequences_per_step = value;
}
void trainer_accumulation(LogBook& book, const LogLine&, std::string_view rest) {
  book.facts.accumulation = logged(rest);
}

void trainer_steps(LogBook& book, const LogLine&, std::string_view rest) {
  RunLog& log = book.log;
  if (const auto value = logged(rest)) log.planned_steps = value;
  if (log.sequences_per_step && book.facts.device_batch && book.facts.accumulation)
    log.processes = *log.sequences_per_step / (*book.facts.device_batch * *book.facts.accumulation);
}

void trainer_trainable(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto value = logged(rest)) book.log.trainable_parameters = value;
}

/// "trainable params: 3,407,872 || all params: 8,033,669,120 || trainable%: 0.0424" (PEFT)
void peft_parameters(LogBook& book, const LogLine&, std::string_view rest) {
  constexpr std::string_view kAll = "all params:";
  const std::size_t at = rest.find(kAll);
  if (at == std::string_view::npos) return;
  if (const auto value = logged(rest)) book.log.trainable_parameters = value;
  if (const auto value = logged(rest.substr(at + kAll.size()))) book.log.parameters = value;
}

/// "All distributed processes registered. Starting with 8 processes"
void lightning_processes(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto value = logged(rest)) book.log.processes = value;
}

}  // namespace gpuplan
