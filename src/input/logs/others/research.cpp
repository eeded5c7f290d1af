// Programs of research: fairseq (fairseq/logging/progress_bar.py @ 3d262bb), programs of JAX that write by CLU
// (clu/metric_writers/logging_writer.py: Flax's examples, big_vision, T5X), and fastai (fastprogress' tables).
#include <cmath>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// The number of a name in any of fairseq's three forms: "loss=6.1, ", "loss 6.1 | ", "\"loss\": \"6.1\", ".
std::optional<double> value_of(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && in_name(text[at - 1])) continue;
    std::string_view rest = text.substr(at + name.size());
    if (rest.empty() || in_name(rest.front())) continue;
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("=: \"")));
    double value = 0;
    if (scan::take_number(rest, value)) return value;
  }
  return std::nullopt;
}

}  // namespace

/// "... | train_inner | epoch 001:    100 / 1101 loss=10.2, ..., wps=65012.4, ups=2.01, ..., num_updates=100, lr=5e-05,
/// gnorm=1.5, ...", "... | valid | epoch 001 | valid on 'valid' subset | loss 6.1 | ... | num_updates 1101", and the
/// same as JSON. Means of an epoch ("| train |") repeat its steps.
void fairseq_line(LogBook& book, const LogLine& line, std::string_view) {
  // Loggers' names, time and level may have been taken off as a prefix.
  const std::string_view text = line.text;
  const bool held_out = text.contains("valid on ") || text.contains("\"valid_loss\"");
  const bool whole_epoch = !held_out && (text.contains(" | loss ") || text.contains("\"train_loss\""));
  if (whole_epoch) return;
  const auto updates = value_of(text, held_out && text.contains("\"") ? "valid_num_updates" : "num_updates");
  const auto loss = value_of(text, held_out && text.contains("\"valid_loss\"") ? "valid_loss" : "loss");
  if (!updates || !loss) return;
  StepRecord record;
  record.step = *updates;
  record.set(held_out ? StepValue::kValidation : StepValue::kLoss, *loss);
  if (!held_out) {
    if (const auto norm = value_of(text, "gnorm")) record.set(StepValue::kGradNorm, *norm);
    if (const auto rate = value_of(text, "lr")) record.set(StepValue::kLearningRate, *rate);
    if (const auto rate = value_of(text, "ups"); rate && *rate > 0) record.set(StepValue::kStepSeconds, 1 / *rate);
    if (const auto words = value_of(text, "wps")) record.set(StepValue::kTokens, *words);
    if (const auto memory = value_of(text, "cuda_gb_allocated"))  // metaseq
      book.memory(LoggedMemory::kAllocated, *memory * units::GiB);
    if (const auto memory = value_of(text, "cuda_gb_reserved"))
      book.memory(LoggedMemory::kReserved, *memory * units::GiB);
    if (const auto wall = value_of(text, "wall")) book.elapsed(Seconds{*wall});
  }
  book.record(LogFormat::kFairseq, record, line);
}

/// "... | fairseq_cli.train | done training in 1100.1 seconds"
void fairseq_done(LogBook& book, const LogLine& line, std::string_view) { book.ends(line); }

/// "... logging_writer.py:48] [100] accuracy=0.41, learning_rate=0.0012, loss=5.43, steps_per_second=3.21"; values of
/// an evaluation stand in a line of their own, under the same step.
void clu_line(LogBook& book, const LogLine& line, std::string_view rest) {
  double number = 0;
  StepRecord record;
  if (!scan::take_number(rest, number) || !scan::take(rest, "] [") || !scan::take_number(rest, record.step) ||
      !scan::take(rest, "]"))
    return;
  for (const std::string_view part : split(rest, ',')) {
    const std::string_view pair = trim(part);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (const auto value = scan::number(pair.substr(equals + 1)))
      note_value(book, record, pair.substr(0, equals), *value);
  }
  if (record.known != 0) book.record(LogFormat::kClu, record, line);
}

/// "epoch     train_loss  valid_loss  accuracy  time"
void fastai_head(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.starts_with("epoch ") || !trim(rest).ends_with("time")) return;
  book.facts.fastai = rest.contains("valid_loss") ? 2 : 1;
  book.shows(LogFormat::kFastai);
}

/// "0         2.900000    2.800000    0.410000  00:40": a row for each epoch, whose steps nothing counts.
Match fastai_row(LogBook& book, const LogLine& line) {
  if (book.facts.fastai == 0) return Match::kNo;
  std::string_view rest = line.text;
  double epoch = 0, value = 0;
  if (!scan::take_number(rest, epoch) || epoch != std::floor(epoch) || !rest.starts_with(' ')) return Match::kNo;
  if (!trim(rest).substr(trim(rest).find_last_of(' ') + 1).contains(':')) return Match::kNo;
  StepRecord record;
  for (const StepValue quantity : {StepValue::kLoss, StepValue::kValidation}) {
    if (quantity == StepValue::kValidation && book.facts.fastai < 2) break;
    scan::skip_spaces(rest);
    if (scan::take_number(rest, value)) record.set(quantity, value);
    else if (!scan::take(rest, "None")) return Match::kNo;
  }
  record.epoch = epoch + 1;
  book.epoch(epoch + 1);
  if (record.known != 0) book.record(LogFormat::kFastai, record, line);
  return Match::kRecord;
}

/// "validation loss: 3.912" of Levanter, whose steps a bar counts (src/levanter/callbacks/__init__.py).
void levanter_validation(LogBook& book, const LogLine& line, std::string_view rest) {
  double loss = 0;
  if (book.step_format() != LogFormat::kBars || !scan::take_next(rest, loss) || !trim(rest).empty()) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, loss);
  book.record(LogFormat::kBars, record, line);
}

/// "epoch 0: perplexity: 21.35 eval_loss: 3.061" of transformers' examples for accelerate, whose steps a bar counts.
void accelerate_evaluation(LogBook& book, const LogLine& line, std::string_view rest) {
  const auto format = book.step_format();
  const auto loss = scan::number(rest);
  if (!format || !loss || !line.text.contains("epoch ") || line.text.contains("step")) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, *loss);
  book.record(*format, record, line);
}

}  // namespace gpuplan
