// Lines of steps of programs that have no file of their own, read by the names of their numbers, whatever their order:
// DeepSpeed (deepspeed/utils/timer.py @ edaa722, runtime/engine.py), modded-nanogpt (train_gpt.py @ f411b3d), llm.c
// (llmc/logger.h, train_gpt2.cu @ f1e2ace), LLMQ (src/training/logging.cpp @ b77d969), and what people write
// themselves.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "base/text.h"
#include "input/logs/fields/fields.h"
#include "input/logs/fields/line_shape.h"
#include "input/logs/fields/step_line.h"
#include "input/logs/formats/bars.h"
#include "input/logs/formats/formats.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

/// A line of a program's own text, indented or not.
bool is_comment(std::string_view text) {
  scan::skip_spaces(text);
  return text.starts_with('#');
}

/// "training loss: 5.43" below a bar that tells none; at its end the program tells a mean.
bool loss_below_bar(LogBook& book, StepLine& it, const LogLine& line, bool validation) {
  StepRecord& record = it.record;
  const bool loss = record.has(StepValue::kLoss) && it.fraction && !validation;
  if (!loss || !book.lacks_loss() || book.log.finished || !(book.step() >= 0)) return false;
  record.keep_only(StepValue::kLoss);
  record.step = book.step();
  record.of = record.epoch = scan::kUnknown;
  record.of_run = true;
  book.record(LogFormat::kFields, record, line);
  return true;
}

/// "Training loss: 3.84", all of the line: a loss of a program that tells no steps.
bool loss_alone(LogBook& book, StepLine& it, const LogLine& line, bool validation) {
  StepRecord& record = it.record;
  const bool loss =
      record.known == quantity_bit(StepValue::kLoss) || record.known == quantity_bit(StepValue::kValidation);
  if (!loss || !it.fraction || book.step_format() || book.facts.listing || record.epoch >= 0) return false;
  const std::string_view text = trim(line.text);
  const std::size_t colon = text.find_first_of(":=");
  if (colon == std::string_view::npos ||
      text.substr(0, colon).find_first_of("(){}[]\"'.,|<>/_") != std::string_view::npos ||
      !scan::number(trim(text.substr(colon + 1))) || trim(text.substr(colon + 1)).contains(' '))
    return false;
  if (validation && record.has(StepValue::kLoss)) {
    record.set(StepValue::kValidation, record[StepValue::kLoss]);
    record.keep_only(StepValue::kValidation);
  }
  book.record(LogFormat::kFields, record, line);
  return true;
}

/// What is said of the steps before this line: "global_step/sec: 8.1", "per step time: 12.5 ms", "DEV : loss 1.1".
bool beside_steps(LogBook& book, StepLine& it, const LogLine& line, bool validation) {
  if (const auto owner = book.told_by(); owner == LogFormat::kBars || owner == LogFormat::kTrainerOutput)
    return loss_below_bar(book, it, line, validation);
  if (loss_alone(book, it, line, validation)) return true;
  const bool own =
      book.step_format() ? book.step_format() == LogFormat::kFields : !book.told_by() && !book.log.loss.empty();
  if (!own || !it.fraction) return false;
  StepRecord& record = it.record;
  if (validation && record.has(StepValue::kLoss)) {
    record.set(StepValue::kValidation, record[StepValue::kLoss]);
    record.keep_only(StepValue::kValidation);
  } else if (!(record.known == quantity_bit(StepValue::kStepSeconds) && it.steps_timed) &&
             record.known != quantity_bit(StepValue::kValidation)) {
    return false;
  }
  record.step = book.step();
  record.of = record.epoch = scan::kUnknown;
  record.of_run = true;
  book.record(LogFormat::kFields, record, line, TimeSource::kMean);
  return true;
}

}  // namespace

bool fields_step(LogBook& book, const LogLine& line, LogFormat format, double bare_step) {
  // Beside the lines of a program that is known, others repeat it or are of parts of a step, unless it tells no loss.
  const auto owner = book.told_by();
  const bool beside = format == LogFormat::kFields && owner && *owner != LogFormat::kFields;
  if (beside && !book.lacks_loss()) return held_out_beside(book, line);
  // A program's own text; lines of a known form are those that somebody quotes behind what ran.
  if (format == LogFormat::kFields && is_comment(line.text)) return false;
  StepLine it;
  if (format == LogFormat::kLlmq) it.time_name = "time";
  // MaxText counts from 0 (src/maxtext/common/metric_logger.py): so many steps and one are done.
  const bool maxtext = book.marks.from_zero;
  if (maxtext) it.time_name = "seconds";
  bool validation = false;
  const bool may_speak =  // each of the words has a "v", or begins the line
      line.text.find('v') != std::string_view::npos || line.text.find('V') != std::string_view::npos ||
      line.text.starts_with("Test");
  for (const LogField& field : line_shapes().fields(line.text)) {
    const unsigned known = it.record.known;
    const bool counted = !std::isnan(it.record.step);
    note_field(book, it, field);
    const bool is_step = !counted && !std::isnan(it.record.step);
    const bool is_loss = (~known & it.record.known & quantity_bit(StepValue::kLoss)) != 0;
    if (may_speak && (is_step || is_loss))
      validation = validation || speaks_of_validation(words_before(line.text, field.name, is_loss));
  }
  StepRecord& record = it.record;
  const bool named = !std::isnan(record.step);
  // Losses where no word says so; accuracies say it.
  const bool told = record.has(StepValue::kLoss) || record.has(StepValue::kValidation) || line.text.contains("cc");
  if (named && !told && !std::isnan(it.train) && !std::isnan(it.held_out)) {
    record.set(StepValue::kLoss, it.train);
    record.set(StepValue::kValidation, it.held_out);
    it.fraction = true;
    validation = false;
  }
  if (!named) {
    find_step(book, it, line, bare_step);
    if (may_speak && !it.loss_name.empty())
      validation = validation || speaks_of_validation(words_before(line.text, it.loss_name, false));
  }
  if (format == LogFormat::kFields && (std::isnan(record.step) || (validation && !named)))
    return beside_steps(book, it, line, validation);
  if (std::isnan(record.step)) return false;
  if (maxtext) ++record.step;
  if (validation && record.has(StepValue::kLoss) && !record.has(StepValue::kValidation))
    record.set(StepValue::kValidation, record[StepValue::kLoss]);
  const bool held_out = record.has(StepValue::kValidation);
  if (held_out && (validation || !record.has(StepValue::kLoss))) {
    // Its times are those of the evaluation, but for what training has taken so far.
    record.known &= quantity_bit(StepValue::kValidation) | quantity_bit(StepValue::kClock);
  }
  constexpr unsigned kSettings =
      quantity_bit(StepValue::kLearningRate) | quantity_bit(StepValue::kGradNorm) | quantity_bit(StepValue::kClock);
  const bool works = (record.known & ~kSettings) != 0 || it.mean_time > 0;
  if (format == LogFormat::kFields && (!works || !it.fraction)) {
    // The head of values that stand below it, one a line.
    if (record.known == 0 && named) {
      heads_values(book, record.step, record.of_run);
      if (!validation) heads_plain_values(book, line, record);
    }
    return false;
  }
  if (!works && record.known == 0) return false;
  book.log.rewards = book.log.rewards || it.rewards;
  if (record.epoch >= 0) book.epoch(record.epoch);
  if (record.has(StepValue::kClock)) book.elapsed(Seconds{record[StepValue::kClock]});
  if (beside) {
    if (!record.has(StepValue::kLoss)) return false;
    record.keep_only(StepValue::kLoss);
    book.record(format, record, line);
    return true;
  }
  if (it.passes != 1 && record.has(StepValue::kStepSeconds)) {
    // Times are of passes; a step that is not the first has as many as fit its number.
    if (it.passes == std::floor(it.passes))
      record.set(StepValue::kStepSeconds, record[StepValue::kStepSeconds] * it.passes);
    else record.known &= ~quantity_bit(StepValue::kStepSeconds);
  }
  TimeSource source = TimeSource::kSaid;
  if (it.some_time > 0 && format == LogFormat::kFields && !record.has(StepValue::kClock)) {
    if (const double passed = seconds_of_run(book.facts, it); passed > 0) {
      record.set(StepValue::kClock, passed);
      book.elapsed(Seconds{passed});
    }
  }
  if (it.some_time > 0 && !held_out && format == LogFormat::kFields) {
    const double seconds = seconds_of_step(book.facts, it, line, book.step());
    if (seconds > 0 && !record.has(StepValue::kStepSeconds) && std::isnan(it.mean_time))
      record.set(StepValue::kStepSeconds, seconds);
  }
  if (it.mean_time > 0 && !record.has(StepValue::kStepSeconds) && !held_out) {
    record.set(StepValue::kStepSeconds, it.mean_time);
    source = TimeSource::kMean;
  }
  book.record(format, record, line, source);
  return true;
}

bool shaped_step(LogBook& book, const LogLine& line, LogFormat format, double bare_step) {
  LineShapes& shapes = line_shapes();
  if (shapes.find(line.text) == nullptr) shapes.learn(line.text, {});
  book.marks = {};
  return fields_step(book, line, format, bare_step);
}

namespace {

/// "samples/sec: 127.7 | iteration 10/ 320000 | ...": rates that stand before the words that a line is known by.
std::optional<LogBook::Mapped> rates_before(std::string_view text) {
  constexpr unsigned kRates = quantity_bit(StepValue::kTokens) | quantity_bit(StepValue::kTokensPerGpu) |
                              quantity_bit(StepValue::kSequences) | quantity_bit(StepValue::kModelFlops);
  if (!text.contains('/')) return std::nullopt;
  LogBook::Mapped told;
  LogFields fields(text);
  for (LogField field; fields.next(field);) {
    const NamedValue named = meaning_of(field);
    if (named.kind != NamedValue::Kind::kQuantity || (quantity_bit(named.quantity) & kRates) == 0) continue;
    told.record.set(named.quantity, field.value * named.scale);
    told.quantities |= quantity_bit(named.quantity);
  }
  return told.quantities != 0 ? std::optional(told) : std::nullopt;
}

/// A line of a known program behind something that its launcher or logger puts before all lines.
bool known_step(LogBook& book, const LogLine& line, std::size_t begin) {
  LogLine behind = line;
  behind.text = line.text.substr(begin);
  const auto holds = [&](std::string_view words) { return behind.text.find(words) != std::string_view::npos; };
  Match match = Match::kNo;
  const bool own = !book.mapped;
  if (own) book.mapped = rates_before(line.text.substr(0, begin));
  if (behind.text.starts_with("step:")) {
    constexpr std::string_view kValidation = "validate ";
    if (line.text.substr(0, begin).ends_with(kValidation)) behind.text = line.text.substr(begin - kValidation.size());
    if (holds("tps: ") || holds("wps: ")) match = torchtitan_step(book, behind);
  } else if (behind.text.starts_with("step ")) {
    if (holds("| tok/sec: ")) match = nanochat_step(book, behind);
  } else if (behind.text.starts_with("iteration ")) {
    match = megatron_step(book, behind);
  } else if (behind.text.starts_with("iter ")) {
    match = nanogpt_step(book, behind);
  }
  if (own) book.mapped.reset();
  return match == Match::kRecord;
}

/// "Epoch 1/3 - train_loss: 0.35 - val_loss: 0.36", and "Train Epoch: 1 [640/60000 (1%)]  Loss: 2.3", which counts
/// samples: a loss at an epoch, of programs that tell no steps.
void epoch_loss(LogBook& book, const LogLine& line, std::uint64_t told) {
  // Records in braces have readers of their own.
  const bool beside = book.step_format().has_value();
  if (is_comment(line.text) || line.text.contains('{')) return;
  if (beside && !book.lacks_loss() && book.step_format() != LogFormat::kFields) {
    if (book.told() == told) held_out_beside(book, line);
    return;
  }
  StepLine it;
  LogFields fields(line.text);
  bool validation = false;
  for (LogField field; fields.next(field);) {
    const bool had = it.record.has(StepValue::kLoss);
    note_field(book, it, field);
    if (!had && it.record.has(StepValue::kLoss))
      validation = speaks_of_validation(words_before(line.text, field.name, true));
  }
  StepRecord& record = it.record;
  if (validation && !record.has(StepValue::kValidation)) {
    record.set(StepValue::kValidation, record[StepValue::kLoss]);
    record.keep_only(StepValue::kValidation);
  }
  if (!it.fraction || !(record.epoch >= 0) || !(record.has(StepValue::kLoss) || record.has(StepValue::kValidation)))
    return;
  // What a line says of the step before it, alone.
  const auto beside_step = [&](StepValue value) {
    record.keep_only(value);
    record.step = book.step();
    record.of_run = true;
    record.of = scan::kUnknown;
    book.record(LogFormat::kFields, record, line);
  };
  // "| end of epoch   1 | time: 38.12s | valid loss  4.71 |"
  if (book.step_format() == LogFormat::kFields && record.has(StepValue::kValidation) && !record.has(StepValue::kLoss)) {
    beside_step(StepValue::kValidation);
    return;
  }
  if (beside) {
    if (record.has(StepValue::kLoss) && book.told_by() != LogFormat::kFields) beside_step(StepValue::kLoss);
    return;
  }
  if (record.of > 0) record.epoch = std::max(record.epoch - 1, 0.0) + record.step / record.of;
  record.step = record.of = scan::kUnknown;
  book.epoch(record.epoch);
  book.record(LogFormat::kFields, record, line);
}

}  // namespace

namespace {

/// What stands before the word: nothing, a logger's name, or that it begins: "INFO - trainer - Epoch 1/3", "Starting
/// epoch 2".
bool begins_epoch(std::string_view before) {
  before = trim(before);
  if (std::ranges::none_of(before, is_letter)) return true;
  constexpr std::string_view kEnds = "-:]|>";
  if (kEnds.contains(before.back())) return true;
  const std::string_view verb = before.substr(before.find_last_of(" ]:") + 1);
  constexpr std::array<std::string_view, 4> kBegins = {"tart", "egin", "into", "unning"};
  return std::ranges::any_of(kBegins, [verb](std::string_view word) { return verb.contains(word); });
}

}  // namespace

/// "Epoch: [0][ 10/5005] Loss 6.9", and lines that only name the epoch of the steps that follow: "=== Epoch 2/3 ===".
void epoch_line(LogBook& book, const LogLine& line, LogFormat format) {
  const bool samples = line.text.find("%)") != std::string_view::npos;  // "Train Epoch: 1 [640/60000 (1%)]"
  const std::uint64_t told = book.told();
  if (!samples && fields_step(book, line, format)) return;
  if (format == LogFormat::kFields) epoch_loss(book, line, told);
  const std::size_t at = line.text.find("poch");
  if (at == std::string_view::npos || at == 0 || !begins_epoch(line.text.substr(0, at - 1))) return;
  const EpochLabel epoch = epoch_of(line.text.substr(at - 1));
  if (!epoch.number || *epoch.number != std::floor(*epoch.number)) return;
  book.facts.epoch = *epoch.number;
  book.facts.epochs_told = epoch.of.value_or(book.facts.epochs_told);
}

void loss_word(LogBook& book, const LogLine&, std::string_view) { book.marks.loss = true; }
void epoch_word(LogBook& book, const LogLine&, std::string_view) { book.marks.epoch = true; }
void rate_word(LogBook& book, const LogLine&, std::string_view) { book.marks.rate = true; }
void maxtext_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.from_zero = true; }

namespace {

bool holds_any(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return text.contains(word); });
}

}  // namespace

namespace {

/// "Throughput: 16.78 samples/sec, ..." that a program tells of all its steps, where no line of a step told a rate.
void rate_of_run(LogBook& book, const LogLine& line) {
  static constexpr std::array<std::string_view, 8> kOthers = {"val",    "Val",  "est", "nference",
                                                              "enerat", "oken", "oad", "ave"};
  if (!book.log.sequences_per_second.empty() || !book.log.tokens_per_second.empty() ||
      !book.log.tokens_per_second_per_gpu.empty() || holds_any(line.text, kOthers) || !(book.step() > 0))
    return;
  LogFields fields(line.text);
  for (LogField field; fields.next(field);) {
    const NamedValue named = meaning_of(field);
    if (field.name.empty() || named.kind != NamedValue::Kind::kQuantity || named.quantity != StepValue::kSequences)
      continue;
    book.log.sequences_per_second.add(book.step(), field.value * named.scale, line.number);
    return;
  }
}

}  // namespace

/// "Time for inference: 10.88 sec total, 18.94 tokens/sec", "output_tok_per_sec=292.03tok/sec": how fast a program
/// generates, where nothing was trained.
void generation_line(LogBook& book, const LogLine& line) {
  static constexpr std::array<std::string_view, 7> kGenerated = {"nference",  "enerat",  "ecod", "utput",
                                                                 "ompletion", "esponse", "eval"};
  static constexpr std::array<std::string_view, 6> kRead = {"rompt", "refill", "nput", "otal", "ncod", "ontext"};
  if (book.step_format()) rate_of_run(book, line);
  if (book.step_format() || !holds_any(line.text, kGenerated)) return;
  LogFields fields(line.text);
  for (LogField field; fields.next(field);) {
    if (!field.measure || field.measure->unit != FieldUnit::kTokens || holds_any(field.name, kRead)) continue;
    book.generates(field.value * field.measure->scale, LogFormat::kFields, line);
    return;
  }
}

bool fields_line(LogBook& book, const LogLine& line, std::size_t at, LogFormat format) {
  return (at > 0 && known_step(book, line, at)) || fields_step(book, line, format);
}

/// The first of these words of a line.
void step_word(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWord = 4;
  if (!book.marks.step) book.marks.step_at = line.text.size() - rest.size() - kWord;
  book.marks.step = true;
}

}  // namespace gpuplan
