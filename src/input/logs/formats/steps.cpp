// Lines of steps of programs that have no file of their own, read by the names of their numbers, whatever their order:
// DeepSpeed (deepspeed/utils/timer.py @ edaa722, runtime/engine.py), modded-nanogpt (train_gpt.py @ f411b3d), llm.c
// (llmc/logger.h, train_gpt2.cu @ f1e2ace), LLMQ (src/training/logging.cpp @ b77d969), and what people write
// themselves.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/logs/formats/bars.h"
#include "input/logs/formats/fields.h"
#include "input/logs/formats/formats.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

/// Words before a step or loss that say that it is of held-out data: "Validation at step 500: loss 3.2".
bool speaks_of_validation(std::string_view words) {
  for (const std::string_view sign : {"alid", "eval", "Eval", "EVAL", "VAL", "[V]", "DEV ", " CV "})
    if (words.find(sign) != std::string_view::npos) return true;
  // "Test: [ 10/196]  Loss 5.25", "DEV : loss 1.125"
  return words.starts_with("Test") || words.starts_with("CV ");
}

/// All of the line to the end of the name, or what stands in its own part of it: "step 5 | eval loss".
std::string_view words_before(std::string_view text, std::string_view name, bool own_part) {
  if (name.empty()) return {};
  const std::string_view before = text.substr(0, static_cast<std::size_t>(name.data() - text.data()) + name.size());
  const std::size_t part = own_part ? before.find_last_of("|,;") : std::string_view::npos;
  return part == std::string_view::npos ? before : before.substr(part + 1);
}

struct StepLine {
  StepRecord record;
  double mean_time = scan::kUnknown;
  double some_time = scan::kUnknown;  ///< that may be the step's, or what all have taken
  bool after_epoch = false;           ///< the number before this one was that of an epoch
  bool rewards = false;               ///< it has names that only learning by rewards has
  bool fraction = false;              ///< a loss or time that is no whole number: code has whole ones
  double batch = scan::kUnknown, batches = scan::kUnknown;     ///< "Batch 50/938", which may be a size too
  double bracket = scan::kUnknown, brackets = scan::kUnknown;  ///< "[  10/125000]" of a line that names no step
  bool gpu_memory = false;                                     ///< "gpu mem", beside which "mem" is the host's
  std::string_view loss_name{};                                ///< of the loss that the line tells
  double before = scan::kUnknown;                              ///< the number before this one
  bool unnamed_time = false;                                   ///< some_time stands without a name
  std::string_view time_name{};  ///< what this program calls the time of a step, whatever its unit; seconds without one
};

/// "global_step", "Global Step", "GLOBAL_STEP"
bool ends_in_global_step(std::string_view name) {
  constexpr std::size_t kStep = std::string_view("step").size(), kGlobal = std::string_view("global").size();
  return name.size() > kGlobal + kStep && iequals(name.substr(name.size() - kStep), "step") &&
         iequals(name.substr(name.size() - kStep - kGlobal - 1, kGlobal), "global");
}

/// Seconds of "time: 0.98", "Time 0.98s" and of a duration alone, "| 1m 9s |".
double some_time(const LogField& field) {
  const bool seconds = field.measure && field.measure->unit == FieldUnit::kTime && field.measure->scale >= 1;
  const bool bare = field.unit.empty() && field.fraction;
  const std::size_t blank = field.name.rfind(' ');
  const std::string_view last = blank == std::string_view::npos ? field.name : field.name.substr(blank + 1);
  if (field.name.empty() ? !seconds : !iequals(last, "time") || !(seconds || bare)) return scan::kUnknown;
  return field.value * (seconds ? field.measure->scale : 1);
}

/// Whether such times are those of steps: what all steps have taken never becomes less, and steps differ.
bool times_are_of_steps(LogFacts& facts, double time) {
  constexpr int kOften = 8;
  ++facts.times_told;
  if (time <= facts.time_told) ++facts.times_less;
  facts.time_told = time;
  return facts.times_less >= 2 && facts.times_less * kOften > facts.times_told;
}

bool is_batch(std::string_view name) {
  const std::string_view last = name.substr(name.rfind(' ') + 1);
  return iequals(last, "batch") || iequals(last, "batch_idx") || name == "B";
}

/// "Ran 100 train steps in 45.00 secs" (Trax): the time of so many steps.
bool steps_in_seconds(StepLine& it, const LogField& field, double before) {
  if (!field.name.ends_with("steps in") || !field.measure || field.measure->unit != FieldUnit::kTime || !(before > 0))
    return false;
  it.record.set(StepValue::kStepSeconds, field.value * field.measure->scale / before);
  it.fraction = true;
  return true;
}

void note_field(LogBook& book, StepLine& it, const LogField& field) {
  if (steps_in_seconds(it, field, std::exchange(it.before, field.value))) return;
  // "[epoch 2][100/1000]"
  const bool behind_epoch = std::exchange(it.after_epoch, false);
  if (behind_epoch && field.name.empty() && std::isnan(it.record.step) && !field.fraction && field.value >= 0 &&
      field.total >= field.value) {
    it.record.step = field.value;
    it.record.of = field.total;
    it.record.of_epoch = true;
    return;
  }
  if (!it.time_name.empty() && field.name == it.time_name && (field.unit.empty() || field.unit == "s")) {
    it.record.set(StepValue::kStepSeconds, field.value);
    return;
  }
  const NamedValue named = meaning_of(field);
  if (std::isnan(it.batch) && !field.fraction && is_batch(field.name)) {
    it.batch = field.value;
    it.batches = field.total;
  }
  if (field.bracketed && !field.fraction && field.value >= 0 && field.total >= field.value &&
      named.kind == NamedValue::Kind::kNothing) {
    // "[0/300][10/1251]"
    if (it.bracket >= 0 && std::isnan(it.record.epoch)) {
      it.record.epoch = it.bracket;
      it.record.epochs = it.brackets;
    }
    it.bracket = field.value;
    it.brackets = field.total;
  }
  if (named.kind == NamedValue::Kind::kNothing && std::isnan(it.some_time)) {
    it.some_time = some_time(field);
    it.unnamed_time = field.name.empty();
  }
  if (field.name == "E" && field.bare_count()) it.record.epoch = field.value;  // Sockeye: "E=0 B=50"
  if (named.kind == NamedValue::Kind::kAllocated) {
    if (it.gpu_memory && iequals(field.name, "mem")) return;
    it.gpu_memory = it.gpu_memory || field.name.contains("gpu") || field.name.contains("GPU");
  }
  // prime-rl's "Peak Mem. 58.1 GiB" is what the allocator reserves (src/prime_rl/trainer/sft/train.py).
  if (named.kind == NamedValue::Kind::kAllocated && field.name.ends_with("Peak Mem") &&
      field.name.data()[field.name.size()] == '.') {
    book.memory(LoggedMemory::kReserved, Bytes{field.value * named.scale});
    return;
  }
  if (field.name.ends_with("policy_loss") && it.record.has(StepValue::kLoss)) return;
  // "Actor Loss: 0.01 | Critic Loss: 0.2 | Unsupervised Loss: 0.0": the first of several counts, or the one without
  // more words.
  if (named.kind == NamedValue::Kind::kQuantity && named.quantity == StepValue::kLoss) {
    if (it.record.has(StepValue::kLoss) && (field.name.contains(' ') || field.name == it.loss_name)) return;
    it.loss_name = field.name;
  }
  switch (named.kind) {
    case NamedValue::Kind::kStep:
      if (field.fraction || !(field.value >= 0)) return;
      // "STEP: 24/100 -- GLOBAL_STEP: 1025": the step of the run counts.
      if (!std::isnan(it.record.step) && (it.record.of_run || !ends_in_global_step(field.name))) return;
      it.record.step = field.value;
      it.record.of = field.total;
      it.record.of_run = ends_in_global_step(field.name);
      return;
    case NamedValue::Kind::kMeanTime:
      it.mean_time = field.value * named.scale;
      it.fraction = true;
      return;
    case NamedValue::Kind::kQuantity:
    case NamedValue::Kind::kStepRate:
      it.fraction = it.fraction || field.fraction || !field.unit.empty();
      break;
    case NamedValue::Kind::kNothing:
      if (!book.log.rewards && field.fraction) it.rewards = it.rewards || tells_rewards(field.name);
      break;
    case NamedValue::Kind::kAllocated:
    case NamedValue::Kind::kReserved:
      break;
    case NamedValue::Kind::kEpoch:
      it.record.epoch = field.value;
      it.record.epochs = field.total;
      it.after_epoch = !field.fraction;
      return;
  }
  note_value(book, it.record, named, field.value);
}

constexpr unsigned quantity_bit(StepValue quantity) { return 1U << static_cast<unsigned>(quantity); }

/// WeNet's "Batch 0/100" is of epoch 0: what stands before the slash stays while the other grows.
bool counts_behind_slash(LogFacts& facts, const StepLine& it) {
  const bool grows = it.batch == facts.batch_told && it.batches > facts.batches_told;
  facts.batch_behind = facts.batch_behind || grows || it.batches < it.batch || it.batches == 0;
  facts.batch_told = it.batch;
  facts.batches_told = it.batches;
  return facts.batch_behind;
}

/// Of a line that does not name its step, by other counts on it.
void find_step(LogBook& book, StepLine& it, const LogLine& line, double bare_step) {
  StepRecord& record = it.record;
  // "Epoch 1, Batch 50/938, Loss: 0.35": without another number it counts the steps of the epoch.
  if (record.epoch >= 0 && it.batch >= 0) {
    record.step = it.batch;
    record.of = it.batches;
    record.of_epoch = true;
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
    if (!counts_behind_slash(book.facts, it)) return;
    record.step = it.batches;
    record.epoch = it.batch;
    record.of_epoch = true;
    return;
  }
  if (bare_step >= 0) record.step = bare_step;
  // "[10 | 17.50] loss=3.44" of gpt-2's fine-tuning: the step, and seconds so far
  std::string_view rest = line.text;
  double step = 0;
  if (scan::take(rest, "[") && scan::take_number(rest, step) && rest.starts_with(" | ")) record.step = step;
}

/// Seconds of a step by those of "Time: 125 s" and "45 s", which may be all that passed since the line before.
double seconds_of_step(LogFacts& facts, const StepLine& it, const LogLine& line, double last_step) {
  const double steps = it.record.step - last_step, passed = line.time - facts.line_time;
  facts.line_time = line.time;
  const bool of_steps = times_are_of_steps(facts, it.some_time);
  constexpr double kNear = 0.1, kSecond = 1;
  if (steps > 1 && passed > 0 && std::abs(it.some_time - passed) <= kNear * passed + kSecond)
    return it.some_time / steps;
  if (steps > 0 && 2 * passed + kSecond < steps * it.some_time) return scan::kUnknown;  // the clock knows better
  // A duration without a name may be a step's only where each step has a line.
  return of_steps && !(it.unnamed_time && steps > 1) ? it.some_time : scan::kUnknown;
}

/// What is said of the steps before this line: "global_step/sec: 8.1", "per step time: 12.5 ms", "DEV : loss 1.1".
bool beside_steps(LogBook& book, StepLine& it, const LogLine& line, bool validation) {
  if (book.step_format() != LogFormat::kFields || !it.fraction || !(book.step() >= 0)) return false;
  StepRecord& record = it.record;
  if (validation && record.has(StepValue::kLoss)) {
    record.set(StepValue::kValidation, record[StepValue::kLoss]);
    record.keep_only(StepValue::kValidation);
  } else if (record.known != quantity_bit(StepValue::kStepSeconds)) {
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
  if (beside && !book.lacks_loss()) return false;
  if (line.text.starts_with('#')) return false;  // a program's own text
  StepLine it;
  if (format == LogFormat::kLlmq) it.time_name = "time";
  // MaxText counts from 0 (src/maxtext/common/metric_logger.py): so many steps and one are done.
  const bool maxtext = line.text.contains("completed step: ") || line.text.contains("eval after train step ");
  if (maxtext) it.time_name = "seconds";
  LogFields fields(line.text);
  bool validation = false;
  const bool may_speak =  // each of the words has a "v", or begins the line
      line.text.find('v') != std::string_view::npos || line.text.find('V') != std::string_view::npos ||
      line.text.starts_with("Test");
  for (LogField field; fields.next(field);) {
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
    record.keep_only(StepValue::kValidation);  // its times are those of the evaluation
  }
  constexpr unsigned kSettings =
      quantity_bit(StepValue::kLearningRate) | quantity_bit(StepValue::kGradNorm) | quantity_bit(StepValue::kClock);
  const bool works = (record.known & ~kSettings) != 0 || it.mean_time > 0;
  if (format == LogFormat::kFields && (!works || !it.fraction)) {
    // The head of values that stand below it, one a line.
    if (record.known == 0 && named) heads_values(book, record.step, record.of_run);
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
  TimeSource source = TimeSource::kSaid;
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

/// LLMQ's own file of records: `{"log": "step", "time": "...", "step": 4, "step_tokens": 65536, "duration_ms": 1709,
/// "norm": 1.5, "loss": 3.2, "lr": 1e-05, ...}`
Match llmq_record(LogBook& book, const LogLine& line) {
  const std::string_view rest = line.text;
  const bool held_out = rest.starts_with("{\"log\": \"eval\"");
  if (!held_out && !rest.starts_with("{\"log\": \"step\"")) return Match::kNo;
  const auto field = [rest](std::string_view name) {
    const std::size_t at = rest.find(name);
    return at == std::string_view::npos ? std::nullopt : scan::number(rest.substr(at + name.size()));
  };
  const auto step = field("\"step\": "), loss = field("\"loss\": "), time = field("\"duration_ms\": ");
  if (!step || !loss || rest.find('}') == std::string_view::npos) return Match::kBroken;
  StepRecord record;
  record.step = *step;
  record.set(held_out ? StepValue::kValidation : StepValue::kLoss, *loss);
  if (!held_out) {
    if (const auto tokens = field("\"step_tokens\": "); tokens && *tokens > 0) book.log.tokens_per_step = tokens;
    if (time) record.set(StepValue::kStepSeconds, *time / 1e3);
    if (const auto norm = field("\"norm\": ")) record.set(StepValue::kGradNorm, *norm);
    if (const auto rate = field("\"lr\": ")) record.set(StepValue::kLearningRate, *rate);
  }
  book.record(LogFormat::kLlmq, record, line);
  return Match::kRecord;
}

Match numbers_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  StepRecord record;
  double value = 0;
  if (!scan::take_number(rest, record.step)) return Match::kNo;
  // llama2.c and others: "100 | loss 5.1234 | lr 3.0e-04 | 312.12ms"
  if (rest.starts_with(" | ") && rest.contains("loss")) {
    const LogFormat format = book.step_format() == LogFormat::kNanogpt ? LogFormat::kNanogpt : LogFormat::kFields;
    LogLine behind = line;
    behind.text = rest;
    return fields_step(book, behind, format, record.step) ? Match::kRecord : Match::kNo;
  }
  const bool train = scan::take(rest, " train ");
  if (!train && !scan::take(rest, " val ")) return Match::kNo;
  if (!scan::take_number(rest, value) || !trim(rest).empty()) return Match::kNo;
  record.set(train ? StepValue::kLoss : StepValue::kValidation, value);
  book.record(LogFormat::kFields, record, line);
  return Match::kRecord;
}

namespace {

/// A line of a known program behind something that its launcher or logger puts before all lines.
bool known_step(LogBook& book, const LogLine& line, std::size_t begin) {
  LogLine behind = line;
  behind.text = line.text.substr(begin);
  const auto holds = [&](std::string_view words) { return behind.text.find(words) != std::string_view::npos; };
  Match match = Match::kNo;
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
  return match == Match::kRecord;
}

}  // namespace

namespace {

/// "Epoch 1/3 - train_loss: 0.35 - val_loss: 0.36", and "Train Epoch: 1 [640/60000 (1%)]  Loss: 2.3", which counts
/// samples: a loss at an epoch, of programs that tell no steps.
void epoch_loss(LogBook& book, const LogLine& line) {
  // Records in braces have readers of their own.
  const bool beside = book.step_format().has_value();
  if ((beside && !book.lacks_loss() && book.step_format() != LogFormat::kFields) || line.text.starts_with('#') ||
      line.text.contains('{'))
    return;
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

/// "Epoch: [0][ 10/5005] Loss 6.9", and lines that only name the epoch of the steps that follow: "=== Epoch 2/3 ===".
void epoch_line(LogBook& book, const LogLine& line, LogFormat format) {
  const bool samples = line.text.find("%)") != std::string_view::npos;  // "Train Epoch: 1 [640/60000 (1%)]"
  if (!samples && fields_step(book, line, format)) return;
  if (format == LogFormat::kFields) epoch_loss(book, line);
  std::string_view rest = line.text;
  while (!rest.empty() && !is_letter(rest.front())) rest.remove_prefix(1);
  if (!iequals(rest.substr(0, 5), "epoch")) return;
  const EpochLabel epoch = epoch_of(rest);
  if (!epoch.number || *epoch.number != std::floor(*epoch.number)) return;
  book.facts.epoch = *epoch.number;
  book.facts.epochs_told = epoch.of.value_or(book.facts.epochs_told);
}

void loss_word(LogBook& book, const LogLine&, std::string_view) { book.marks.loss = true; }
void epoch_word(LogBook& book, const LogLine&, std::string_view) { book.marks.epoch = true; }

void fields_line(LogBook& book, const LogLine& line, std::size_t at, LogFormat format) {
  if (at == 0 || !known_step(book, line, at)) fields_step(book, line, format);
}

/// The first of these words of a line.
void step_word(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWord = 4;
  if (!book.marks.step) book.marks.step_at = line.text.size() - rest.size() - kWord;
  book.marks.step = true;
}

// What only the lines of one program hold.
void deepspeed_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kDeepSpeed); }
void modded_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kModdedNanogpt); }
void llmc_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kLlmC); }
void llmq_sign(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWords = std::string_view("[T] step ").size();
  if (line.text.size() == rest.size() + kWords) book.marks.add(LogFormat::kLlmq);
}

/// "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768"
void deepspeed_overflow(LogBook& book, const LogLine&, std::string_view) { book.leaves_out(1); }

/// "[Rank 0] Loss: 10.8766" beside DeepSpeed's own lines, which tell the steps.
void deepspeed_loss(LogBook& book, const LogLine& line, std::string_view rest) {
  book.marks.loss = true;
  if (book.step_format() != LogFormat::kDeepSpeed || line.text.find("tep") != std::string_view::npos) return;
  StepRecord record;
  record.step = book.step();
  const auto value = scan::number(rest);
  if (!value) return;
  record.set(StepValue::kLoss, *value);
  book.record(LogFormat::kDeepSpeed, record, line);
}

/// "  gradient_accumulation_steps .. 8"
void deepspeed_passes(LogBook& book, const LogLine&, std::string_view rest) {
  while (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  if (const auto value = scan::number(rest); value && *value > 0) book.facts.accumulation = value;
}

/// "	GPU peak memory reserved: 16.31 GiB" of torchtune (torchtune/training/memory.py)
void torchtune_memory(LogBook& book, const LogLine&, std::string_view rest) {
  const bool reserved = scan::take(rest, "reserved: ");
  double value = 0;
  if ((reserved || scan::take(rest, "alloc: ") || scan::take(rest, "allocation: ")) && scan::take_next(rest, value) &&
      scan::take(rest, " GiB"))
    book.memory(reserved ? LoggedMemory::kReserved : LoggedMemory::kAllocated, value * units::GiB);
}

/// "  train_batch_size ............. 256" of the engine's configuration
void deepspeed_batch(LogBook& book, const LogLine&, std::string_view rest) {
  while (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  if (const auto value = scan::number(rest); value && *value > 0) book.log.sequences_per_step = value;
}

/// "val loss 5.251911" alone, after the step that it was taken at
void llmc_validation(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.starts_with("val loss ")) return;
  StepRecord record;
  record.step = book.step();
  double value = 0;
  if (!scan::take_next(rest, value) || !trim(rest).empty()) return;
  record.set(StepValue::kValidation, value);
  book.record(LogFormat::kLlmC, record, line);
}

/// "peak memory allocated: 30220 MiB reserved: 38672 MiB"
void nanogpt_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (!scan::take_next(rest, value) || !scan::take(rest, " MiB")) return;
  book.memory(LoggedMemory::kAllocated, value * units::MiB);
  if (scan::take(rest, " reserved: ") && scan::take_next(rest, value) && scan::take(rest, " MiB"))
    book.memory(LoggedMemory::kReserved, value * units::MiB);
}

/// "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:8D:00.0 Off |": the table of nvidia-smi
void nvidia_smi_gpu(LogBook& book, const LogLine& line, std::string_view rest) {
  std::string_view before = line.text;
  double index = 0;
  if (!book.log.gpu.empty() || !scan::take(before, "|") || !scan::take_next(before, index)) return;
  scan::skip_spaces(before);
  const std::size_t end = rest.find("  ");
  if (!before.starts_with("NVIDIA ") || end == std::string_view::npos) return;
  book.log.gpu = "NVIDIA " + printable(trim(rest.substr(0, end)), 80);
}

}  // namespace gpuplan
