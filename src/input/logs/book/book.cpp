#include "input/logs/book/book.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostEvents = 100, kMostGpus = 64;
/// So many records in a row of steps that were there before are a new start; fewer may be late lines of another rank.
constexpr std::size_t kHeld = 3;

bool is_training(const StepRecord& record) {
  return record.has(StepValue::kLoss) || record.has(StepValue::kStepSeconds) || record.has(StepValue::kTokens) ||
         record.has(StepValue::kTokensPerGpu) || record.has(StepValue::kSequences);
}

bool norm_is_lost(const StepRecord& record) {
  return record.has(StepValue::kGradNorm) && !std::isfinite(record[StepValue::kGradNorm]);
}

/// The loss of a step that is told twice, rounded: Megatron-LM's lines, and DeepSpeed's of the same run.
bool tells_same(const Series& values, double step, double value) {
  constexpr double kRounded = 1e-3;
  return !values.empty() && values.last().step == step &&
         std::abs(values.last().value - value) <= kRounded * std::abs(value);
}

std::string step_text(double step) { return number_text(std::clamp(step, -1e15, 1e15)); }

}  // namespace

bool LogBook::takes(int& chosen, int rank) {
  if (rank < 0 || rank == chosen) return true;
  if (chosen >= 0 && rank != 0) return false;
  chosen = rank;
  return true;
}

bool LogBook::takes(LogFormat format, int rank) {
  int& chosen = ranks_[static_cast<std::size_t>(format)];
  const int before = chosen;
  const bool taken = takes(chosen, rank);
  if (before > 0 && chosen == 0) others_first_[static_cast<std::size_t>(format)] = true;
  return taken;
}

LogBook::Segment& LogBook::segment(LogFormat format) {
  for (auto& [owner, found] : segments_)
    if (owner == format) return found;
  return segments_.emplace_back(format, Segment{}).second;
}

Series& LogBook::series(StepValue quantity) {
  switch (quantity) {
    case StepValue::kLoss:
      return log.loss;
    case StepValue::kGradNorm:
      return log.grad_norm;
    case StepValue::kLearningRate:
      return log.learning_rate;
    case StepValue::kValidation:
      return log.validation;
    case StepValue::kTokens:
      return log.tokens_per_second;
    case StepValue::kTokensPerGpu:
      return log.tokens_per_second_per_gpu;
    case StepValue::kSequences:
      return log.sequences_per_second;
    case StepValue::kModelFlops:
      return log.model_flops;
    case StepValue::kStepSeconds:
    case StepValue::kClock:
      break;
  }
  return log.step_seconds;
}

void LogBook::shows(LogFormat format) {
  ++told_;
  FormatLines& lines = records_[static_cast<std::size_t>(format)];
  if (lines.records++ == 0) lines.first = {file_, line_};
  lines.last = {file_, line_};
}

void LogBook::take_mapped(StepRecord& record) {
  const Mapped own = *std::exchange(mapped, std::nullopt);
  record.known &= ~own.quantities;
  for (std::size_t i = 0; i < kStepValues; ++i)
    if (const auto quantity = static_cast<StepValue>(i); own.record.has(quantity))
      record.set(quantity, own.record[quantity]);
}

void LogBook::record(LogFormat format, StepRecord record, const LogLine& line, TimeSource time) {
  at(line.number);
  shows(format);
  if (mapped) take_mapped(record);
  if (!takes(format, line.rank)) return;
  if (std::isinf(record.step)) record.step = scan::kUnknown;
  place_in_run(format, record);
  if (bool& others = others_first_[static_cast<std::size_t>(format)]; others && !std::isnan(record.step)) {
    others = false;
    forget_other_ranks(format, record.step);
  }
  // Hugging Face's Trainer leaves losses that are not finite out of its mean (logging_nan_inf_filter): of a run that
  // has diverged it prints 0.
  if (norm_is_lost(record) && record.has(StepValue::kLoss) && record[StepValue::kLoss] == 0)
    record.set(StepValue::kLoss, scan::kUnknown);
  if (std::isnan(record.step) || !is_training(record)) {
    apply(format, record, line, time);
    return;
  }
  Segment& now = segment(format);
  if (record.step < now.step) {
    if (hello_) {
      start_again(format, record.step, line);
    } else {
      if (line.time <= now.time) return;  // a late line of another rank
      if (!now.held.empty() && record.step <= now.held.back().record.step) now.held.clear();
      const LogLine kept{.number = line.number, .rank = line.rank, .time = line.time};  // its text does not last
      now.held.push_back({record, kept, time});
      if (now.held.size() < kHeld) return;
      if (repeats(now)) {
        now.held.clear();
        return;
      }
      const std::vector<Held> held = std::exchange(now.held, {});
      start_again(format, held.front().record.step, held.front().line);
      for (const Held& one : held) apply(format, one.record, one.line, one.time);
      segment(format).step = record.step;
      return;
    }
  } else if (record.step > now.step || std::isnan(now.step)) {
    now.held.clear();
    hello_ = restart_said_ = false;
  }
  now.step = record.step;
  now.time = line.time;
  apply(format, record, line, time);
}

/// A run that has done all its steps does not go on from an earlier one: lines that say of these steps what the log has
/// of them already are another process's, written one behind the other.
bool LogBook::repeats(const Segment& now) const {
  if (!log.planned_steps || !(now.step >= *log.planned_steps)) return false;
  constexpr double kSame = 0.01;
  const auto had = [](const Series& series, double step, double value) {
    const auto point = std::ranges::find(series.points(), step, &Series::Point::step);
    return point != series.points().end() && std::abs(point->value - value) <= kSame * std::abs(value);
  };
  return std::ranges::all_of(now.held, [&](const Held& one) {
    const StepRecord& record = one.record;
    return (record.has(StepValue::kLoss) && had(log.loss, record.step, record[StepValue::kLoss])) ||
           (record.has(StepValue::kStepSeconds) && had(log.step_seconds, record.step, record[StepValue::kStepSeconds]));
  });
}

void LogBook::finish() {
  add_engines();
  add_mean_of_clocks();
  add_mean_loss();
  for (auto& [format, now] : segments_) {
    if (now.held.empty() || repeats(now)) continue;
    const std::vector<Held> held = std::exchange(now.held, {});
    // A line or two that lag behind by as many steps as there are lines between them are another rank's.
    if (held.front().record.step > now.step - 3 * std::max(1.0, now.step / 100)) continue;
    start_again(format, held.front().record.step, held.front().line);
    for (const Held& one : held) apply(format, one.record, one.line, one.time);
    now.step = held.back().record.step;
  }
}

void LogBook::add_mean_loss() {
  if (!log.mean_loss || !log.loss.empty()) return;
  log.loss.add(step(), *log.mean_loss, line_);
  log.loss_is_mean = true;
}

void LogBook::start_again(LogFormat format, double step, const LogLine& line) {
  Segment& now = segment(format);
  const std::string text = "went on from step " + step_text(step) + " after step " + step_text(now.step);
  if (restart_said_) {
    // The program or its scheduler said so already: the same restart.
    for (auto event = log.events.rbegin(); event != log.events.rend(); ++event) {
      if (event->kind != LogEvent::Kind::kRestart) continue;
      event->step = step;
      break;
    }
  } else {
    event(LogEvent::Kind::kRestart, line, text);
    if (!log.events.empty() && log.events.back().kind == LogEvent::Kind::kRestart) log.events.back().step = step;
  }
  // An evaluation that came first is of the new run.
  std::optional<Series::Point> held_out;
  if (hello_ && !log.validation.empty() && log.validation.last().line > started_) held_out = log.validation.last();
  hello_ = restart_said_ = false;
  now.step = step;
  now.clock = now.clock_step = now.first_clock = now.first_clock_step = now.last_clock = now.last_clock_step =
      scan::kUnknown;
  log.step_seconds.clear();
  log.tokens_per_second.clear();
  log.tokens_per_second_per_gpu.clear();
  log.sequences_per_second.clear();
  log.model_flops.clear();
  time_source_ = TimeSource::kNone;
  for (Series* one : {&log.loss, &log.grad_norm, &log.learning_rate, &log.validation}) one->rewind(step);
  for (auto& [name, values] : log.metrics) values.rewind(step);
  if (held_out && held_out->step >= step) log.validation.add(held_out->step, held_out->value, held_out->line);
  log.finished = false;
  skipped_.begin_again();
}

void LogBook::another_run() {
  ++log.runs_before;
  for (Series* one :
       {&log.loss, &log.grad_norm, &log.learning_rate, &log.validation, &log.step_seconds, &log.tokens_per_second,
        &log.tokens_per_second_per_gpu, &log.sequences_per_second, &log.model_flops})
    one->clear();
  for (auto& [name, values] : log.metrics) values.clear();
  log.mean_loss.reset();
  log.run_time.reset();
  log.last_step.reset();
  log.first_step.reset();
  log.epoch.reset();
  log.most_steps.reset();
  log.events.clear();
  log.event_counts = {};
  log.lost_norms = 0;
  log.skipped_steps = 0;
  log.finished = log.every_step_counted = log.rewards = false;
  for (auto& [owner, one] : segments_) one = {};
  skipped_.begin_again();
  time_source_ = TimeSource::kNone;
  hello_ = restart_said_ = false;
  reached_.reset();
  clocked_.reset();
  told_seconds_ = 0;
  first_clock_ = scan::kUnknown;
  facts.records.begin_again();
  facts.bar_elapsed = facts.bars_before = 0;
  facts.first_epoch.reset();
  facts.bar_epoch.reset();
}

void LogBook::leaves_out(double steps) { log.skipped_steps += steps; }

/// Lines without a loss count where they say that all of their steps were left out.
void LogBook::note_left_out(const StepRecord& record) {
  const bool loss = record.has(StepValue::kLoss);
  leaves_out(record.left_out);
  if (!loss && record.left_out <= 0) return;
  skipped_.line(loss ? 0 : record.left_out);
}

void LogBook::report_not_finite(const StepRecord& record, const LogLine& line) {
  if (record.has(StepValue::kLoss) && !std::isfinite(record[StepValue::kLoss])) {
    event(LogEvent::Kind::kNotFinite, line, "loss is " + number_text(record[StepValue::kLoss]));
  } else if (norm_is_lost(record)) {
    const std::uint64_t& count = log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)];
    const std::uint64_t before = count;
    event(LogEvent::Kind::kNotFinite, line, "gradient norm is " + number_text(record[StepValue::kGradNorm]));
    log.lost_norms += count - before;
  }
}

void LogBook::apply(LogFormat format, const StepRecord& record, const LogLine& line, TimeSource time) {
  // A program that fails has its bar drawn once more, as it stood.
  const bool drawn_again = time == TimeSource::kBar && log.last_step == record.step;
  if (!std::isnan(record.step)) {
    // Who only tells of settings at a step gives way to who tells what was trained.
    const bool gives_way = step_owner_ && *step_owner_ != format && !steps_trained_ && is_training(record);
    if (gives_way) forget_reached();
    if (!step_owner_ || gives_way) step_owner_ = format;
    steps_trained_ = steps_trained_ || (step_owner_ == format && is_training(record));
    if (step_owner_ == format && (is_training(record) || record.step > log.last_step.value_or(-1)))
      log.last_step = record.step;
    if (step_owner_ == format && time == TimeSource::kBar) log.every_step_counted = true;
    if (step_owner_ == format && is_training(record))
      log.first_step = std::min(record.step, log.first_step.value_or(record.step));
  }
  report_not_finite(record, line);
  note_left_out(record);
  for (const StepValue quantity :
       {StepValue::kLoss, StepValue::kGradNorm, StepValue::kLearningRate, StepValue::kValidation, StepValue::kTokens,
        StepValue::kTokensPerGpu, StepValue::kSequences, StepValue::kModelFlops})
    if (record.has(quantity)) add(format, quantity, record.step, record[quantity], line);

  const double per_gpu = record[StepValue::kTokensPerGpu], gpus = log.processes.value_or(0);
  const double tokens = log.tokens_per_step.value_or(0);
  double speed = record.has(StepValue::kTokens) ? record[StepValue::kTokens] : 0;
  if (!record.has(StepValue::kTokens) && record.has(StepValue::kTokensPerGpu) && gpus > 0) {
    speed = per_gpu * gpus;
    add(format, StepValue::kTokens, record.step, speed, line);
  }
  if (speed == 0 && record.has(StepValue::kSequences) && log.sequence_length) {
    speed = record[StepValue::kSequences] * *log.sequence_length;
    add(format, StepValue::kTokens, record.step, speed, line);
  }
  const double sequences = log.sequences_per_step.value_or(0);
  if (record.has(StepValue::kStepSeconds)) {
    const double seconds = record[StepValue::kStepSeconds];
    add_time(format, record.step, seconds, line, time);
    if (speed == 0 && tokens > 0 && seconds > 0 && time == TimeSource::kSaid)
      add(format, StepValue::kTokens, record.step, tokens / seconds, line);
  } else if (speed > 0 && tokens > 0) {
    add_time(format, record.step, tokens / speed, line, TimeSource::kSaid);
  } else if (record.has(StepValue::kSequences) && sequences > 0) {
    // Samples of a step may be told of one GPU or pass: clocks know better.
    add_time(format, record.step, sequences / record[StepValue::kSequences], line, TimeSource::kBar);
  }
  // An evaluation may say how long training has taken so far.
  const bool training = is_training(record);
  if (training && !drawn_again) works(line);
  if (std::isnan(record.step) || !(training || record.has(StepValue::kClock))) return;
  const double clock = record.has(StepValue::kClock) ? record[StepValue::kClock] : line.time;
  if (std::isnan(clock)) return;
  const bool written = format != LogFormat::kTensorBoard && !record.has(StepValue::kClock);
  if (!written || clock != std::floor(clock)) whole_seconds_ = false;
  add_clock(format, record.step, clock, line);
}

bool LogBook::lacks_loss() const {
  const auto& owner = owners_[static_cast<std::size_t>(StepValue::kLoss)];
  if (owner) return *owner == LogFormat::kFields;
  return step_owner_ == LogFormat::kDeepSpeed || step_owner_ == LogFormat::kTrainerOutput ||
         step_owner_ == LogFormat::kBars;
}

void LogBook::add(LogFormat format, StepValue quantity, double step, double value, const LogLine& line) {
  std::optional<LogFormat>& owner = owners_[static_cast<std::size_t>(quantity)];
  if (!owner) owner = format;
  Series& values = series(quantity);
  const bool some_loss = quantity == StepValue::kLoss || quantity == StepValue::kValidation;
  if (owner == LogFormat::kFields && format != LogFormat::kFields && some_loss) {
    if (tells_same(values, step, value)) return;
    values.clear();  // lines of any form stood in for the program's own
    owner = format;
    if (quantity == StepValue::kLoss) give_way(step);
  }
  if (owner != format) return;  // another format told it first: the same values once more
  if (!values.empty() && step == values.last().step) return;
  values.add(step, value, line.number);
}

void LogBook::memory(LoggedMemory kind, Bytes peak) {
  std::optional<Bytes>& most = log.peak_memory[static_cast<std::size_t>(kind)];
  if (std::isfinite(peak.value) && peak.value > 0 && (!most || peak > *most)) most = peak;
}

void LogBook::gpu_sample(std::string_view gpu, std::optional<double> busy, std::optional<Bytes> memory,
                         std::uint32_t line) {
  if (busy && !(*busy >= 0 && *busy <= 1)) busy.reset();
  if (memory) this->memory(LoggedMemory::kDevice, *memory);
  if (busy) log.gpu_busy.add(scan::kUnknown, *busy, line);
  auto found = std::ranges::find_if(log.gpus, [gpu](const GpuUse& one) { return one.gpu == gpu; });
  if (found == log.gpus.end()) {
    if (log.gpus.size() == kMostGpus) return;
    log.gpus.emplace_back();
    found = log.gpus.end() - 1;
    found->gpu = printable(gpu, 40);
  }
  if (busy) {
    ++found->samples;
    found->busy += (*busy - found->busy) / static_cast<double>(found->samples);
  }
  if (memory && std::isfinite(memory->value)) found->memory = std::max(found->memory, *memory);
}

void LogBook::engine_rate(int engine, double rate, double time, const LogLine& line) {
  constexpr double kOneTime = 5;  // seconds: they speak together, every ten as a rule
  if (std::ranges::find(engines_.numbers, engine) != engines_.numbers.end() ||
      std::abs(time - engines_.time) > kOneTime)
    add_engines();
  if (engines_.numbers.empty()) engines_.time = time;
  engines_.numbers.push_back(engine);
  engines_.rate += rate;
  engines_.line = line.number;
}

void LogBook::add_engines() {
  // While nothing runs they say 0.
  if (engines_.rate > 0) log.output_tokens_per_second.add(scan::kUnknown, engines_.rate, engines_.line);
  engines_ = {};
}

void LogBook::metric(std::size_t index, double value, const LogLine& line) {
  metric_ranks_.resize(log.metrics.size(), -1);
  int& rank = metric_ranks_[index];
  if (rank > 0 && line.rank == 0) log.metrics[index].second.clear();
  rank = line.rank;
  works(line);
  log.metrics[index].second.add(step(), value, line.number);
}

void LogBook::no_number(std::size_t metric, std::string_view found) {
  const std::string& name = log.metrics[metric].first;
  if (std::ranges::find(log.no_numbers, name, &std::pair<std::string, std::string>::first) == log.no_numbers.end())
    log.no_numbers.emplace_back(name, printable(found, 40));
}

void LogBook::event(LogEvent::Kind kind, const LogLine& line, std::string_view text, bool stopped) {
  const auto index = static_cast<std::size_t>(kind);
  const std::pair here{file_ + 1, line.number};
  if (last_event_[index] == here) return;
  last_event_[index] = here;
  if (kind == LogEvent::Kind::kRestart) restart_said_ = hello_ = true;
  if (log.event_counts[index]++ >= kMostEvents) {
    // The last of them is what the run may have ended with: it takes the place of the one before.
    const auto before = std::ranges::find(log.events.rbegin(), log.events.rend(), kind, &LogEvent::kind);
    log.events.erase(std::prev(before.base()));
  }
  log.events.push_back({kind, line.number, file_, step(), printable(trim(text)), stopped});
}

void LogBook::resumes(const LogLine& line) {
  starts();
  const auto failed = [this](const LogEvent& one) {
    const bool error = one.kind == LogEvent::Kind::kError || one.kind == LogEvent::Kind::kOutOfMemory;
    return error && one.file == file_ && one.line > log.work.back().line;
  };
  if (restart_said_ || log.work.empty() || log.work.back().file != file_ || std::ranges::none_of(log.events, failed))
    return;
  event(LogEvent::Kind::kRestart, line, line.text);
}

void LogBook::works(const LogLine& line) {
  if (log.work.empty() || log.work.back().file != file_) log.work.push_back({file_, line.number});
  log.work.back().line = line.number;
}

void LogBook::generates(double rate, LogFormat format, const LogLine& line) {
  if (!(rate > 0)) return;
  shows(format);
  log.output_tokens_per_second.add(scan::kUnknown, rate, line.number);
  log.generated = true;
  works(line);
}

void LogBook::ends(const LogLine& line) {
  log.finished = true;
  works(line);
}

void LogBook::prompts(double done, double total) {
  if (done < bar_done_ || total != bar_total_) prompts_before_ += bar_total_;
  bar_done_ = done;
  bar_total_ = total;
  log.prompts = prompts_before_ + total;
  // Of bars before this one all was done: else there were no next one.
  log.prompts_done = prompts_before_ + done;
}

void LogBook::epoch(double epoch) {
  if (std::isfinite(epoch) && epoch >= log.epoch.value_or(0)) log.epoch = epoch;
}

void LogBook::reached(double step) {
  if (!std::isfinite(step) || step < 0) return;
  reached_ = step;
  log.every_step_counted = true;
}

void LogBook::next_file() {
  add_engines();
  ++file_;
  hello_ = true;
}

void LogBook::settle(RunLog& told) const {
  if (reached_ && *reached_ > told.last_step.value_or(-1)) told.last_step = reached_;
  for (const auto& [format, of_format] : segments_)
    if (format == step_owner_ && of_format.epochs.epoch_over()) told.planned_steps.reset();
  told.end_skipped = skipped_.at_end();
  if (told.end_skipped && skipped_.last() && told.last_step) told.loss.add(*told.last_step, scan::kUnknown, line_);
  told.elapsed = clocked_;
  // Clocks that stand before a few lines of a log only, none of them of steps, do not see all of it.
  if (!steps_clocked_ && std::isfinite(told_seconds_) && told_seconds_ > 0)
    told.elapsed = std::max(clocked_.value_or(Seconds{}), Seconds{told_seconds_});
  told.format_lines.clear();
  for (const auto& entry : Names<LogFormat>::entries) {
    const FormatLines& lines = records_[static_cast<std::size_t>(entry.value)];
    if (lines.records == 0) continue;
    told.format_lines.push_back(lines);
    told.format_lines.back().format = entry.value;
  }
  sort_stably(told.format_lines, std::greater{}, &FormatLines::records);
  told.formats.clear();
  for (const FormatLines& lines : told.format_lines) told.formats.push_back(lines.format);
}

}  // namespace gpuplan
