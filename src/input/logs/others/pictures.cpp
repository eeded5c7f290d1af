// Programs that train on pictures: MMEngine (mmengine/logging, runner/log_processor.py), timm (train.py), OpenCLIP
// (src/open_clip_train/train.py), Ultralytics (ultralytics/engine/trainer.py), Keras (keras/src/utils/progbar.py).
#include <cmath>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

/// The number behind a name and its colon, wherever it stands.
std::optional<double> behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + name.size());
  double value = 0;
  return take_next(rest, value) ? std::optional(value) : std::nullopt;
}

/// The number that ends at `end`.
std::optional<double> number_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return scan::number(text.substr(begin, end - begin));
}

void set(StepRecord& record, StepValue quantity, const std::optional<double>& value) {
  if (value) record.set(quantity, *value);
}

}  // namespace

/// "Epoch(train) [1][  50/ 500]  lr: 1.0e-04  eta: 1:02:11  time: 0.6012  data_time: 0.0102  memory: 11203  loss: 2.4"
/// and "Iter(train) [  50/9000]  ...".
void mmengine_line(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  const bool epochs = before.ends_with("Epoch(train) "), whole = before.ends_with("Iter(train) ");
  double epoch = 1, done = 0, total = 0;
  scan::skip_spaces(rest);
  if (!take(rest, "[")) return;
  if (epochs && (!take_next(rest, epoch) || !take(rest, "]["))) return;
  if ((!epochs && !whole) || !take_next(rest, done) || !take(rest, "/") || !take_next(rest, total) || !(total > 0))
    return;
  StepRecord record;
  record.step = (epoch - 1) * total + done;
  if (whole) book.log.planned_steps = total;
  set(record, StepValue::kLoss, behind(rest, " loss: "));
  set(record, StepValue::kGradNorm, behind(rest, " grad_norm: "));
  set(record, StepValue::kLearningRate, behind(rest, " lr: "));
  set(record, StepValue::kStepSeconds, behind(rest, " time: "));
  if (const auto memory = behind(rest, " memory: ")) book.memory(LoggedMemory::kAllocated, *memory * units::MiB);
  book.record(LogFormat::kMmengine, record, line);
}

/// "Train: 0 [  50/1251 (  4%)]  Loss: 2.494 (2.49)  Time: 0.412s, 2485.44/s  (...)  LR: 1.000e-03  Data: 0.010"
void timm_line(LogBook& book, const LogLine& line, std::string_view rest) {
  double epoch = 0, done = 0, total = 0;
  if (!take_next(rest, epoch) || !take(rest, " [") || !take_next(rest, done) || !take(rest, "/") ||
      !take_next(rest, total) || !(total > 0) || !rest.contains("%)]")) {
    book.marks.loss = true;  // "Train: [0/300][10/1251] ... loss 6.9"
    return;
  }
  StepRecord record;
  record.step = epoch * total + done + 1;  // counts from 0
  set(record, StepValue::kLoss, behind(rest, "Loss: "));
  if (!record.has(StepValue::kLoss)) return;
  set(record, StepValue::kLearningRate, behind(rest, "LR: "));
  constexpr std::string_view kTime = "Time: ";
  if (const std::size_t at = rest.find(kTime); at != std::string_view::npos) {
    std::string_view time = rest.substr(at + kTime.size());
    double seconds = 0, rate = 0;
    if (take_next(time, seconds)) record.set(StepValue::kStepSeconds, seconds);
    if (take(time, "s, ") && take_next(time, rate) && time.starts_with("/s")) record.set(StepValue::kSequences, rate);
  }
  if (book.facts.epochs_told > 0) book.log.planned_steps = book.facts.epochs_told * total;
  book.record(LogFormat::kTimm, record, line);
}

/// "Scheduled epochs: 300 (epochs + cooldown_epochs). ..."
void timm_epochs(LogBook& book, const LogLine&, std::string_view rest) {
  double epochs = 0;
  if (take_next(rest, epochs) && epochs > 0) book.facts.epochs_told = epochs;
}

/// "Test: [  24/24]  Time: 1.203 (1.203)  Loss:   5.100 ( 5.200)  ...": the last one has the mean of all.
void timm_test(LogBook& book, const LogLine& line, std::string_view rest) {
  double done = 0, last = 0, now = 0, mean = 0;
  if (!take_next(rest, done) || !take(rest, "/") || !take_next(rest, last) || done != last) return;
  const std::size_t at = rest.find("Loss: ");
  if (at == std::string_view::npos || book.step_format() != LogFormat::kTimm) return;
  rest.remove_prefix(at + 6);
  if (!take_next(rest, now) || !take(rest, " (") || !take_next(rest, mean)) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, mean);
  book.record(LogFormat::kTimm, record, line);
}

/// "Train Epoch: 0 [ 10240/512000 (2%)] Data (t): 0.012 Batch (t): 0.521, 1965.4/s, 245.7/s/gpu LR: 0.000500 ...
/// Loss: 7.01 (6.98)": it counts samples, of which a step has as many as pass in its time.
void open_clip_line(LogBook& book, const LogLine& line, std::string_view rest) {
  double epoch = 0, samples = 0, total = 0, seconds = 0, rate = 0;
  if (!take_next(rest, epoch) || !take(rest, " [") || !take_next(rest, samples) || !take(rest, "/") ||
      !take_next(rest, total))
    return;
  constexpr std::string_view kTime = "Batch (t): ", kLoss = " Loss: ";
  const std::size_t at = rest.find(kTime), loss = rest.rfind(kLoss);
  if (at == std::string_view::npos || loss == std::string_view::npos) return;
  std::string_view time = rest.substr(at + kTime.size());
  if (!take_next(time, seconds) || !take(time, ", ") || !take_next(time, rate) || !(seconds * rate >= 1)) return;
  double& batch = book.facts.sample_batch;
  if (!(batch > 0)) batch = std::round(seconds * rate);
  StepRecord record;
  record.step = std::round((epoch * total + samples) / batch);
  set(record, StepValue::kLoss, behind(rest.substr(loss), kLoss));
  set(record, StepValue::kLearningRate, behind(rest, " LR: "));
  record.set(StepValue::kStepSeconds, seconds);
  if (time.starts_with("/s")) record.set(StepValue::kSequences, rate);
  book.record(LogFormat::kOpenClip, record, line);
}

/// Epoch, memory, parts of the loss, instances and size of the pictures stand before the bar. What is trained on is the
/// sum of the parts.
Match ultralytics_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double epoch = 0, epochs = 0, value = 0;
  if (!take_next(rest, epoch) || !take(rest, "/") || !scan::take_number(rest, epochs)) return Match::kNo;
  if (!take_next(rest, value) || !take(rest, "G ")) return Match::kNo;
  const double reserved = value;  // torch.cuda.memory_reserved()
  double sum = 0, last = 0, before_last = 0;
  int count = 0;
  while (take_next(rest, value)) {
    sum += value;
    before_last = last;
    last = value;
    ++count;
    if (take(rest, ":")) break;
  }
  constexpr int kBeside = 2;  // instances and size
  if (count <= kBeside || !rest.contains('%')) return Match::kNo;
  // "100%|███| 1849/1849 [03:21<00:00,  9.19it/s]", and "100% ━━━━ 1849/1849 9.2it/s 3:21"
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return Match::kNo;
  std::size_t begin = slash;
  while (begin > 0 && is_digit(rest[begin - 1])) --begin;
  double done = 0, total = 0;
  rest.remove_prefix(begin);
  if (!scan::take_number(rest, done) || !take(rest, "/") || !scan::take_number(rest, total) || !(total > 0))
    return Match::kNo;
  // YOLOv5 counts epochs from 0 to the last one, its successors from 1.
  if (epoch == 0) book.facts.first_epoch = 0;
  const double from_zero = book.facts.first_epoch == 0 ? 1 : 0;
  constexpr Bytes kGigabyte{1e9};  // YOLOv5's
  if (reserved > 0) book.memory(LoggedMemory::kReserved, reserved * (from_zero > 0 ? kGigabyte : units::GiB));
  StepRecord record;
  record.step = (epoch - 1 + from_zero) * total + done;
  book.log.planned_steps = (epochs + from_zero) * total;
  if (done > 0) record.set(StepValue::kLoss, sum - last - before_last);
  for (const auto& [unit, reciprocal] : {std::pair{std::string_view("it/s"), true}, {"s/it", false}}) {
    const std::size_t at = rest.find(unit);
    if (at == std::string_view::npos) continue;
    if (const auto rate = number_before(rest, at); rate && *rate > 0)
      record.set(StepValue::kStepSeconds, reciprocal ? 1 / *rate : *rate);
  }
  book.record(LogFormat::kUltralytics, record, line, TimeSource::kBar);
  return Match::kRecord;
}

Match keras_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double done = 0, total = 0;
  if (!take_next(rest, done) || !take(rest, "/") || !scan::take_number(rest, total) || !(total > 0)) return Match::kNo;
  scan::skip_spaces(rest);
  if (!rest.starts_with("━") && !rest.starts_with("[=") && !rest.starts_with("[>") && !rest.starts_with("[.") &&
      !rest.starts_with("- "))  // verbose=2: "1875/1875 - 12s - 6ms/step - loss: 0.29"
    return Match::kNo;
  const auto loss = behind(rest, "- loss: ");
  if (!loss) return Match::kNo;
  const double epoch = std::isnan(book.facts.epoch) ? 1 : book.facts.epoch;
  StepRecord record;
  record.step = (epoch - 1) * total + done;
  if (book.facts.epochs_told > 0) book.log.planned_steps = book.facts.epochs_told * total;
  record.set(StepValue::kLoss, *loss);
  set(record, StepValue::kValidation, behind(rest, "- val_loss: "));
  // "50ms/step", "2s/step", "812us/step"
  if (const std::size_t at = rest.find("s/step"); at != std::string_view::npos) {
    const double scale = rest[at - 1] == 'm' ? 1e-3 : rest[at - 1] == 'u' ? 1e-6 : 1;
    if (const auto time = number_before(rest, at - (scale < 1 ? 1 : 0)))
      record.set(StepValue::kStepSeconds, *time * scale);
  }
  book.record(LogFormat::kKeras, record, line, TimeSource::kMean);
  return Match::kRecord;
}

}  // namespace gpuplan
