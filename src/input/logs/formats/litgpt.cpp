// LitGPT (litgpt/pretrain.py, litgpt/finetune/*.py): a line is of one pass (iter), of which several make a step; the
// line that ends a step says "(step)", in versions before 2024 "(optimizer.step)". Composer (composer/loggers/
// console_logger.py): a head with the batch, and a line for each value below it; GB are 10^9 bytes.
#include <cmath>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

constexpr Bytes kGigabyte{1e9};

/// "iter 60: val loss 1.2345, val time: 1234.56 ms", and "step 60: ..." before.
bool validation(LogBook& book, std::string_view rest, const LogLine& line) {
  double value = 0;
  if (!take(rest, "val loss ") || !take_next(rest, value) || !take(rest, ", val time: ")) return false;
  StepRecord record;
  record.step = book.step();
  record.set(StepValue::kValidation, value);
  book.facts.bar_validation = value;
  book.record(LogFormat::kLitgpt, record, line);
  return true;
}

}  // namespace

Match litgpt_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double value = 0, pass = 0;
  if (take(rest, "Epoch ")) {
    if (!take_next(rest, value) || !take(rest, " | ")) return Match::kNo;
    book.epoch(std::max(0.0, value - 1));
  }
  if (!take(rest, "iter ") || !take_next(rest, pass)) return Match::kNo;
  if (take(rest, ": ")) return validation(book, rest, line) ? Match::kRecord : Match::kNo;
  StepRecord record;
  if (!take(rest, " step ") || !take_next(rest, record.step)) return Match::kNo;
  if (!take(rest, " | loss train: ") && !take(rest, ": loss ")) return Match::kNo;
  if (!take_next(rest, value)) return Match::kBroken;
  record.set(StepValue::kLoss, value);
  // Each line repeats the last one, rounded: "val: n/a" before there is one.
  constexpr double kRounding = 0.001;
  double held_out = 0;
  if (take(rest, ", val: ") && take_next(rest, held_out) &&
      !(std::abs(held_out - book.facts.bar_validation) < kRounding)) {
    book.facts.bar_validation = held_out;
    record.set(StepValue::kValidation, held_out);
  }
  constexpr std::string_view kTime = "iter time: ";
  const std::size_t at = rest.find(kTime);
  if (at == std::string_view::npos) return Match::kBroken;
  rest.remove_prefix(at + kTime.size());
  const bool timed = take_next(rest, value);
  scan::skip_spaces(rest);
  if (!timed || !take(rest, "ms")) return Match::kBroken;
  // Of the lines of one step the last is the step's: the one that comes before a higher number, or is marked.
  LogFacts& facts = book.facts;
  const bool ends_step = rest.starts_with(" (step)") || rest.starts_with(" (optimizer.step)");
  const bool again = record.step <= facts.pass_step && pass > facts.pass;
  facts.pass_seconds += value / 1e3;
  facts.passes_told += 1;
  if (!ends_step && (again || record.step == 0)) {
    book.shows(LogFormat::kLitgpt);
    return Match::kRecord;
  }
  // Every step has as many: lines that are further apart tell it by all of them so far.
  const double passes = std::round(pass / std::max(1.0, record.step));
  facts.pass = pass;
  facts.pass_step = record.step;
  if (passes >= 1) record.set(StepValue::kStepSeconds, facts.pass_seconds / facts.passes_told * passes);
  facts.pass_seconds = facts.passes_told = 0;
  book.record(LogFormat::kLitgpt, record, line);
  return Match::kRecord;
}

/// "| - Memory Used   : 21.30 GB" and "Memory used: 21.30 GB", torch.cuda.max_memory_allocated() / 1e9
void litgpt_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  scan::skip_spaces(rest);
  if (book.step_format() == LogFormat::kLitgpt && take(rest, ":") && take_next(rest, value) && take(rest, " GB"))
    book.memory(LoggedMemory::kAllocated, value * kGigabyte);
}

/// "| - Training Time             :  25.33 s" and "Training time: 250.11s", at the end.
void litgpt_time(LogBook& book, const LogLine& line, std::string_view rest) {
  double value = 0;
  scan::skip_spaces(rest);
  take(rest, ":");
  if (book.step_format() != LogFormat::kLitgpt || !take_next(rest, value) || !(value > 0)) return;
  book.log.run_time = Seconds{value};
  book.ends(line);
}

/// "Final evaluation | val loss: 0.912 | val ppl: 2.489"
void litgpt_final(LogBook& book, const LogLine& line, std::string_view rest) {
  double value = 0;
  if (book.step_format() != LogFormat::kLitgpt || !take_next(rest, value)) return;
  StepRecord record;
  record.step = book.step();
  record.set(StepValue::kValidation, value);
  book.record(LogFormat::kLitgpt, record, line);
}

/// "[batch=4/4800]:" and "[epoch=2][batch=4/100]:"; evaluations have "[Eval batch=...".
Match composer_head(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double epoch = 1, done = 0, total = scan::kUnknown;
  const bool epochs = take(rest, "[epoch=");
  if (epochs && (!take_next(rest, epoch) || !take(rest, "]"))) return Match::kNo;
  if (take(rest, "[Eval batch=")) {
    book.facts.block.reset();
    return Match::kNo;
  }
  if (!take(rest, "[batch=") || !take_next(rest, done)) return Match::kNo;
  if (take(rest, "/")) take_next(rest, total);
  if (!take(rest, "]:")) return Match::kNo;
  book.facts.block = done + (epochs && total > 0 ? (epoch - 1) * total : 0);
  if (!epochs && total > 0) book.log.planned_steps = total;
  book.shows(LogFormat::kComposer);
  return Match::kRecord;
}

/// "	 Train throughput/tokens_per_sec: 390000.0", "	 Eval metrics/eval/LanguageCrossEntropy: 2.31"
Match composer_value(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  const bool held_out = take(rest, "Eval ");
  if (!held_out && !take(rest, "Train ")) return Match::kNo;
  const std::size_t colon = rest.rfind(": ");
  if (colon == std::string_view::npos || rest.find('/') > colon) return Match::kNo;
  const std::string_view name = rest.substr(0, colon);
  double value = 0;
  std::string_view number = rest.substr(colon + 2);
  if (name.find(' ') != std::string_view::npos || !take_next(number, value)) return Match::kNo;
  StepRecord record;
  if (held_out) {
    if (!name.starts_with("metrics/eval/") || !name.ends_with("CrossEntropy")) return Match::kNo;
    record.step = book.step();
    record.set(StepValue::kValidation, value);
    book.record(LogFormat::kComposer, record, line);
    return Match::kRecord;
  }
  if (!book.facts.block) return Match::kNo;
  record.step = *book.facts.block;
  if (name == "loss/train/total") record.set(StepValue::kLoss, value);
  else if (name == "throughput/tokens_per_sec") record.set(StepValue::kTokens, value);
  else if (name == "throughput/device/tokens_per_sec") record.set(StepValue::kTokensPerGpu, value);
  else if (name == "throughput/samples_per_sec") record.set(StepValue::kSequences, value);
  else if (name == "throughput/device/flops_per_sec") record.set(StepValue::kModelFlops, value);
  else if (name == "throughput/batches_per_sec" && value > 0) record.set(StepValue::kStepSeconds, 1 / value);
  else if (name == "l2_norm/grad/global") record.set(StepValue::kGradNorm, value);
  else if (name == "memory/peak_allocated_mem") book.memory(LoggedMemory::kAllocated, value * kGigabyte);
  else if (name == "memory/peak_reserved_mem") book.memory(LoggedMemory::kReserved, value * kGigabyte);
  else return Match::kRecord;
  if (record.known != 0) book.record(LogFormat::kComposer, record, line);
  return Match::kRecord;
}

}  // namespace gpuplan
