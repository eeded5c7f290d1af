// Hugging Face's Trainer on a terminal: Python dicts, tqdm's bars, and the preamble of its logger.
#include "input/logs/formats/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/fields/fields.h"
#include "input/logs/formats/bars.h"
#include "input/logs/formats/formats.h"
#include "input/logs/formats/keywords.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

/// A value of a dict up to the ',' or '}' behind it: numbers, numbers in quotes, True, None, strings, nested lists.
/// Takes the text up to that sign; false when the sign is missing. `number`: it is one, nan among them.
bool take_value(std::string_view& rest, double& value, bool& number) {
  scan::skip_spaces(rest);
  number = false;
  if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
    const char quote = rest.front();
    rest.remove_prefix(1);
    const auto inside = scan::take_until(rest, quote);
    if (!inside) return false;
    std::string_view text = *inside;
    number = scan::take_number(text, value) && text.empty();
  } else {
    number = scan::take_number(rest, value);
    scan::skip_spaces(rest);
    number = number && !rest.empty() && (rest.front() == ',' || rest.front() == '}');
    if (number) return true;
  }
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
  for (int depth = 1; depth > 0;) {
    scan::skip_spaces(rest);
    if (take(rest, "}")) {
      --depth;
      take(rest, ",");
      continue;
    }
    if (rest.empty()) return Match::kBroken;
    const char quote = rest.front();
    if (quote != '\'' && quote != '"') return Match::kNo;
    rest.remove_prefix(1);
    const auto key = scan::take_until(rest, quote);
    double value = 0;
    bool number = false;
    const char* const begin = rest.data();
    if (!key || !take(rest, ":")) return Match::kBroken;
    scan::skip_spaces(rest);
    if (take(rest, "{")) {  // names of a map inside are told like those beside it
      ++depth;
      continue;
    }
    if (!take_value(rest, value, number)) return Match::kBroken;
    if (number) record.note(book, *key, value);
    else record.note_text(*key, {begin, static_cast<std::size_t>(rest.data() - begin)});
    take(rest, ",");
  }
  return record.close(book, LogFormat::kTrainerOutput, line) ? Match::kRecord : Match::kNo;
}

/// A bar of another length than the training's is an evaluation's. Where no preamble tells the steps, the first bar is
/// taken for the training's, and one after it if the first came to its end without a loss.
bool is_training_bar(LogBook& book, const ProgressBar& bar) {
  const double total = bar.total;
  std::optional<double>& known = book.facts.bar_total;
  // Lines that tell steps and losses are of the training; a bar that begins behind them is not.
  const bool behind = book.step_format() == LogFormat::kFields && !book.log.loss.empty() &&
                      (book.log.finished || bar.done < book.step());
  if (behind && !known) return false;
  if (!known && book.log.planned_steps.value_or(total) == total) known = total;
  if (known == total) {
    book.log.planned_steps = total;
    return true;
  }
  if (!known || !book.log.loss.empty() || book.log.last_step.value_or(0) < *known) return false;
  // An evaluation behind a training that prints no losses is shorter.
  if (bar.total * bar.step_seconds < book.facts.bar_elapsed) return false;
  book.forget_steps(LogFormat::kTrainerOutput);
  book.log.planned_steps = known = total;
  return true;
}

/// "  6%|▌         | 73/1300 [00:48<13:57,  1.47it/s]". Bars with words before them are another matter.
Match trainer_bar(LogBook& book, const LogLine& line) {
  ProgressBar bar;
  if (const Match match = take_bar(line.text, bar); match != Match::kRecord) return match;
  if (!bar.label.empty() || !bar.steps) return Match::kNo;
  if (book.facts.serving_benchmark) {
    book.prompts(bar.done, bar.total);
    book.works(line);
    book.shows(LogFormat::kVllm);
    return Match::kRecord;
  }
  if (book.facts.run_over) {
    // An evaluation's, or that of another run: a loss tells.
    book.facts.next_done = bar.done;
    book.facts.next_total = bar.total;
    book.shows(LogFormat::kTrainerOutput);
  } else if (is_training_bar(book, bar)) {
    StepRecord record;
    record.step = bar.done;
    record.of = bar.total;
    if (bar.step_seconds > 0) record.set(StepValue::kStepSeconds, bar.step_seconds);
    note_postfix(book, record, bar.postfix);
    if (record.has(StepValue::kValidation)) book.facts.bar_validation = record[StepValue::kValidation];
    const double before = book.step();
    book.record(LogFormat::kTrainerOutput, record, line, TimeSource::kBar);
    // Each epoch may have a bar of its own.
    LogFacts& facts = book.facts;
    if (book.step() > before && bar.elapsed < facts.bar_elapsed) facts.bars_before += facts.bar_elapsed;
    if (book.step() != before) facts.bar_elapsed = bar.elapsed;
    book.elapsed(Seconds{facts.bars_before + bar.elapsed});
  }
  // Records and sentences are often printed behind the bar, on the same line.
  const std::size_t brace = bar.behind.find("{'");
  if (brace == std::string_view::npos) {
    LogLine behind = line;
    behind.text = bar.behind;
    read_sentences(book, behind);
    return Match::kRecord;
  }
  const Match behind = dict(book, line, bar.behind.substr(brace));
  return behind == Match::kNo ? Match::kRecord : behind;
}

/// Trainer's logger writes "  Num examples = 1,000": the number behind the words.
std::optional<double> logged(std::string_view rest) {
  const auto value = scan::amount(rest);
  return value && *value > 0 ? value : std::nullopt;
}

/// Steps of an epoch, as the preamble tells them; 0: it does not.
double steps_per_epoch(const LogBook& book) {
  const LogFacts& facts = book.facts;
  const double batch = book.log.sequences_per_step.value_or(0), passes = facts.accumulation.value_or(1);
  if (facts.examples && batch > 0) return std::ceil(*facts.examples * passes / batch) / passes;
  const double epochs = facts.epochs.value_or(0);
  return epochs > 0 ? book.log.planned_steps.value_or(0) / epochs : 0;
}

}  // namespace

void TrainerRecord::note(LogBook& book, std::string_view name, double value) {
  if (name == "epoch") epoch_ = value;
  else if (name == "throughput") record_.set(StepValue::kTokens, value);  // LLaMA-Factory; Megatron's is of FLOPs
  else if (name == "current_steps") record_.step = value;                 // LLaMA-Factory's trainer_log.jsonl
  else if (name == "total_steps") total_steps_ = value;
  else if (name == "train_speed(s/it)") mean_time_ = value;  // ms-swift: since the start
  else if (name.starts_with("train_")) note_summary(book, name, value);
  else note_any(book, name, value);
}

/// Of the summary at the end; "train_loss" is also what other programs call their loss.
void TrainerRecord::note_summary(LogBook& book, std::string_view name, double value) {
  if (name == "train_runtime") run_time_ = value;
  else if (name == "train_steps_per_second") steps_per_second_ = value;
  else if (name == "train_tokens_per_second") tokens_per_second_ = value;
  else if (name == "train_loss") train_loss_ = value;
  else note_any(book, name, value);
}

void TrainerRecord::note_any(LogBook& book, std::string_view name, double value) {
  if (note_value(book, record_, name, value)) return;
  // Records of programs of any kind.
  const NamedValue named = meaning_of_key(name);
  const bool loss = named.kind == NamedValue::Kind::kQuantity && named.quantity == StepValue::kLoss;
  if (named.kind == NamedValue::Kind::kMeanTime || (loss && record_.has(StepValue::kLoss)))
    return;  // of ORPO and others
  note_value(book, record_, named, value);
}

void TrainerRecord::note_text(std::string_view name, std::string_view text) {
  const bool counts = name == "global_step/max_steps" || name == "iteration";
  if (!counts && name != "elapsed_time") return;
  text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
  if (!counts) {
    constexpr double kDay = 86400, kHour = 3600, kMinute = 60;
    double days = 0, hours = 0, minutes = 0, seconds = 0;
    std::string_view rest = text;
    if (scan::take_number(rest, days) && (take(rest, " day, ") || take(rest, " days, "))) text = rest;
    else days = 0;
    if (scan::take_number(text, hours) && take(text, ":") && scan::take_number(text, minutes) && take(text, ":") &&
        scan::take_number(text, seconds))
      record_.set(StepValue::kClock, days * kDay + hours * kHour + minutes * kMinute + seconds);
    return;
  }
  double step = 0, total = 0;
  if (!scan::take_number(text, step) || !take(text, "/") || !scan::take_number(text, total)) return;
  record_.step = step;
  total_steps_ = total;
}

/// On a terminal a record does not say its step: the bar beside it does. Else it follows from the count of the records
/// and the epochs in them, where the preamble tells the steps of an epoch: records come every so many steps, and of
/// epochs two decimals are printed.
double TrainerRecord::guessed_step(LogBook& book) const {
  LogFacts& facts = book.facts;
  if (facts.bar_total) return book.step();
  if (!(epoch_ >= 0)) return scan::kUnknown;
  const double step = facts.records.add(book.log, epoch_, record_.has(StepValue::kLoss), steps_per_epoch(book));
  return step > book.step() || std::isnan(book.step()) || !record_.has(StepValue::kLoss) ? step : scan::kUnknown;
}

/// The summary that Trainer prints when it is done.
void TrainerRecord::end(LogBook& book, LogFormat format, const LogLine& line) const {
  RunLog& log = book.log;
  log.run_time = Seconds{run_time_};
  book.facts.run_over = true;
  book.facts.next_total = 0;
  if (!std::isnan(train_loss_)) log.mean_loss = train_loss_;
  book.ends(line);
  StepRecord mean;
  mean.step = record_.step;
  if (steps_per_second_ > 0) {
    // It divides all steps by the time of this part of the run (transformers: trainer_utils.py, speed_metrics).
    const double all = std::max(run_time_ * steps_per_second_, 1.0), before = book.facts.resumed_at;
    mean.set(StepValue::kStepSeconds, before < all ? run_time_ / (all - before) : 1 / steps_per_second_);
    // Three decimals are printed of both.
    constexpr double kRounding = 0.0005;
    const double steps = run_time_ * steps_per_second_, unsure = run_time_ * kRounding;
    if (std::isnan(mean.step) && !(log.last_step > 0.0)) log.most_steps = steps + unsure + 1;
    if (std::isnan(mean.step) && !(log.last_step > 0.0) && unsure < 0.5) {
      mean.step = std::round(steps);
      if (epoch_ > 0) book.facts.records.number(log, mean.step / epoch_);
    }
  }
  if (tokens_per_second_ > 0 && log.tokens_per_second.empty()) mean.set(StepValue::kTokens, tokens_per_second_);
  book.record(format, mean, line, TimeSource::kMean);
}

bool TrainerRecord::close(LogBook& book, LogFormat format, const LogLine& line) {
  RunLog& log = book.log;
  // With counts of tokens every record says how long the run is.
  if (!std::isnan(run_time_) && record_.has(StepValue::kLoss)) {
    record_.set(StepValue::kClock, run_time_);
    if (tokens_per_second_ > 0) record_.set(StepValue::kTokens, tokens_per_second_);
  } else if (!std::isnan(run_time_)) {
    end(book, format, line);
    return true;
  }
  // In Trainer's summary it is the mean of the run.
  if (!std::isnan(train_loss_) && !record_.has(StepValue::kLoss)) record_.set(StepValue::kLoss, train_loss_);
  // A learning rate alone is a setting.
  constexpr unsigned kSettings =
      1U << static_cast<unsigned>(StepValue::kLearningRate) | 1U << static_cast<unsigned>(StepValue::kClock);
  if ((record_.known & ~kSettings) == 0) return false;
  if (book.facts.run_over && record_.has(StepValue::kLoss)) {
    book.another_run();
    book.facts.run_over = false;
    if (const double total = book.facts.next_total; total > 0) {
      book.facts.bar_total = log.planned_steps = total;
      StepRecord bar;
      bar.step = book.facts.next_done;
      bar.set(StepValue::kLearningRate, record_[StepValue::kLearningRate]);
      if (!record_.has(StepValue::kLearningRate)) bar.known = 0;
      book.record(format, bar, line, TimeSource::kBar);
    }
  }
  if (total_steps_ > 0 && record_.step <= total_steps_) log.planned_steps = total_steps_;
  record_.epoch = epoch_;
  record_.of_run = std::isnan(record_.step);
  if (record_.of_run) record_.step = guessed_step(book);
  book.epoch(epoch_);
  TimeSource source = TimeSource::kSaid;
  if (mean_time_ > 0 && record_.has(StepValue::kLoss) && !record_.has(StepValue::kStepSeconds)) {
    record_.set(StepValue::kStepSeconds, mean_time_);
    source = TimeSource::kMean;
  }
  book.record(format, record_, line, source);
  return true;
}

Match trainer_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  scan::skip_spaces(rest);
  if (rest.starts_with('{')) return dict(book, line, rest);
  return trainer_bar(book, line);
}

void trainer_starts(LogBook& book, const LogLine&, std::string_view) {
  book.starts();
  book.facts.examples.reset();
  book.facts.resumed_at = 0;
  book.facts.records.begin_again();
  book.shows(LogFormat::kTrainerOutput);
}

/// "  train_loss               =     1.2345" of "***** train metrics *****", which is printed when training is done.
void trainer_mean_loss(LogBook& book, const LogLine& line, std::string_view rest) {
  scan::skip_spaces(rest);
  if (!take(rest, "=")) return;
  scan::skip_spaces(rest);
  double value = 0;
  if (!scan::take_number(rest, value)) return;
  book.log.mean_loss = value;
  book.ends(line);
  book.shows(LogFormat::kTrainerOutput);
}

/// "  eval_loss               =     0.8712" of "***** eval metrics *****"
void trainer_eval_loss(LogBook& book, const LogLine& line, std::string_view rest) {
  scan::skip_spaces(rest);
  double value = 0;
  if (!take(rest, "=") || !take_next(rest, value) || !trim(rest).empty()) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, value);
  book.record(LogFormat::kTrainerOutput, record, line);
}

bool trainer_summary(std::string_view text) { return text.contains("'train_runtime': ") && !text.contains("'loss': "); }

void trainer_epochs(LogBook& book, const LogLine&, std::string_view rest) { book.facts.epochs = logged(rest); }
void trainer_device_batch(LogBook& book, const LogLine&, std::string_view rest) {
  book.facts.device_batch = logged(rest);
}
/// Evaluations say it too, of their own.
void trainer_examples(LogBook& book, const LogLine&, std::string_view rest) {
  if (!book.facts.examples) book.facts.examples = logged(rest);
}

void trainer_batch(LogBook& book, const LogLine&, std::string_view rest) {
  // Unsloth's "Total batch size (22 x 3 x 1) = 66"
  if (rest.starts_with("(")) rest.remove_prefix(std::min(rest.size(), rest.find("= ") + 2));
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

/// "  Continuing training from global step 100"
void trainer_goes_on(LogBook& book, const LogLine&, std::string_view rest) {
  book.facts.resumed_at = logged(rest).value_or(0);
}

void trainer_trainable(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto value = logged(rest)) book.log.trainable_parameters = value;
}

/// "Data Parallel GPUs = 1" of Unsloth
void trainer_gpus(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto value = logged(rest)) book.log.processes = value;
}

/// A record behind anything: a logger's name, a path, a time.
void trainer_record(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::size_t begin = line.text.rfind('{', line.text.size() - rest.size() - 1);
  if (begin != std::string_view::npos && begin > 0) dict(book, line, line.text.substr(begin));
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
