// Karpathy's programs. nanochat (scripts/base_train.py): tok/sec is of all GPUs, mfu a percentage of the peak that the
// preamble names, fields are added at the end from version to version. nanoGPT (train.py): time is that of a whole
// step, mfu is always relative to 312 TFLOP/s (model.py), and -100 before it is known.
#include "base/text.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_count;
using scan::take_next;

constexpr double kNanogptPeak = 312e12;

/// The fields behind the loss: "key: value | key: value ...".
void nanochat_fields(LogBook& book, StepRecord& record, std::string_view rest) {
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    std::string_view field = rest.substr(0, bar);
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
    scan::skip_spaces(field);
    double value = 0;
    if (take(field, "dt:")) {
      if (take_next(field, value) && take(field, "ms")) record.set(StepValue::kStepSeconds, value / 1e3);
    } else if (take(field, "tok/sec:")) {
      scan::skip_spaces(field);
      if (take_count(field, value)) record.set(StepValue::kTokens, value);
    } else if (take(field, "total time:")) {
      if (take_next(field, value) && take(field, "m")) book.elapsed(value * units::minute);
    } else if (take(field, "grad norm:") || take(field, "grad_norm:") || take(field, "norm:")) {
      if (take_next(field, value)) record.set(StepValue::kGradNorm, value);
    } else if (take(field, "lr ")) {
      if (take_next(field, value)) record.set(StepValue::kLearningRate, value);
    } else if (take(field, "bf16_mfu:") || take(field, "mfu:")) {
      if (take_next(field, value) && value >= 0 && book.facts.peak_flops)
        record.set(StepValue::kModelFlops, value / 100 * *book.facts.peak_flops);
    }
  }
}

Match validation(LogBook& book, StepRecord record, std::string_view rest, const LogLine& line) {
  double value = 0;
  if (!take_next(rest, value)) return Match::kBroken;
  record.set(StepValue::kValidation, value);
  book.record(LogFormat::kNanochat, record, line);
  return Match::kRecord;
}

}  // namespace

Match nanochat_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  if (!take(rest, "step ") && !take(rest, "Step ")) return Match::kNo;
  StepRecord record;
  double total = 0, value = 0;
  if (!take_next(rest, record.step)) return Match::kNo;
  const bool has_total = take(rest, "/") && take_next(rest, total);
  scan::skip_spaces(rest);
  if (take(rest, "(")) {
    if (!take_next(rest, value) || !take(rest, "%)")) return Match::kNo;
    scan::skip_spaces(rest);
  }
  if (!take(rest, "|")) return Match::kNo;
  scan::skip_spaces(rest);
  for (const std::string_view name : {"Validation bpb:", "Validation loss:"})
    if (take(rest, name)) return validation(book, record, rest, line);
  if (!take(rest, "loss: ") && !take(rest, "Training loss: ")) return Match::kNo;
  const bool number = take_next(rest, value);
  scan::skip_spaces(rest);
  if (!number || !take(rest, "|")) return Match::kBroken;
  record.set(StepValue::kLoss, value);
  nanochat_fields(book, record, rest);
  // Others begin their lines so, too, and tell times by other names.
  if (!record.has(StepValue::kStepSeconds) && !record.has(StepValue::kTokens) && !rest.contains("lrm:") &&
      book.step_format() != LogFormat::kNanochat)
    return Match::kNo;
  if (has_total) book.log.planned_steps = total;
  book.record(LogFormat::kNanochat, record, line);
  return Match::kRecord;
}

Match nanogpt_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  const bool iteration = take(rest, "iter ");
  if (!iteration && !take(rest, "step ")) return Match::kNo;
  StepRecord record;
  double value = 0;
  if (!take_next(rest, record.step) || !take(rest, ": ")) return Match::kNo;
  if (!iteration) {
    if (!take(rest, "train loss ")) return Match::kNo;
    if (!take_next(rest, value) || !take(rest, ", val loss ") || !take_next(rest, value)) return Match::kBroken;
    record.set(StepValue::kValidation, value);
    book.record(LogFormat::kNanogpt, record, line);
    return Match::kRecord;
  }
  if (!take(rest, "loss ")) return Match::kNo;
  if (!take_next(rest, value) || !take(rest, ", time ")) return Match::kBroken;
  record.set(StepValue::kLoss, value);
  if (!take_next(rest, value) || !take(rest, "ms")) return Match::kBroken;
  record.set(StepValue::kStepSeconds, value / 1e3);
  if (take(rest, ", mfu ") && take_next(rest, value) && value >= 0 && take(rest, "%"))
    record.set(StepValue::kModelFlops, value / 100 * kNanogptPeak);
  book.record(LogFormat::kNanogpt, record, line);
  return Match::kRecord;
}

/// "total                   : 286,261,730" below "Parameter counts:", or "Number of parameters: 286,261,730 (...)".
void nanochat_parameters(LogBook& book, const LogLine& line, std::string_view rest) {
  scan::skip_spaces(rest);
  const bool table = line.text.starts_with("total");
  if (table && !take(rest, ":")) return;
  if (const auto count = scan::amount(rest); count && *count > 0) book.log.parameters = count;
}

/// "Total batch size 524,288 => gradient accumulation steps: 1"
void nanochat_batch(LogBook& book, const LogLine&, std::string_view rest) {
  constexpr std::string_view kSteps = "gradient accumulation steps:";
  const std::size_t at = rest.find(kSteps);
  const auto tokens = scan::amount(rest);
  if (at == std::string_view::npos || !tokens) return;
  book.starts();
  book.shows(LogFormat::kNanochat);
  book.log.tokens_per_step = tokens;
  const auto passes = scan::amount(rest.substr(at + kSteps.size()));
  if (!passes || !(*passes > 0)) return;
  book.facts.accumulation = passes;
  if (book.facts.device_tokens.value_or(0) > 0) book.log.processes = *tokens / (*passes * *book.facts.device_tokens);
}

/// "Tokens / micro-batch / rank: 32 x 2048 = 65,536"
void nanochat_device_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  double sequences = 0, length = 0;
  if (!take_next(rest, sequences) || !take(rest, " x ") || !take_next(rest, length)) return;
  book.facts.device_batch = sequences;
  book.facts.device_tokens = sequences * length;
  book.log.sequence_length = length;
}

/// "Tokens / micro-batch: 524,288": of all ranks.
void nanochat_micro_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  const auto tokens = scan::amount(rest);
  if (tokens && book.facts.device_tokens.value_or(0) > 0) book.log.processes = *tokens / *book.facts.device_tokens;
}

/// "GPU: NVIDIA H100 80GB HBM3 | Peak FLOPS (BF16): 9.89e+14"
void nanochat_gpu(LogBook& book, const LogLine& line, std::string_view rest) {
  std::string_view name = line.text;
  scan::skip_spaces(name);
  if (!take(name, "GPU:")) return;
  const auto gpu = scan::take_until(name, '|');
  const std::size_t colon = rest.find(':');
  if (!gpu || colon == std::string_view::npos) return;
  book.log.gpu = printable(trim(*gpu), 80);
  if (const auto peak = scan::amount(rest.substr(colon + 1)); peak && *peak > 0) book.facts.peak_flops = peak;
}

/// "Peak memory usage: 75422.02MiB" (torch.cuda.max_memory_allocated)
void nanochat_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (take_next(rest, value) && take(rest, "MiB")) book.memory(LoggedMemory::kAllocated, value * units::MiB);
}

/// "Total training time: 13.84m": the first ten steps are not in it.
void nanochat_time(LogBook& book, const LogLine& line, std::string_view rest) {
  double value = 0;
  if (!take_next(rest, value) || !take(rest, "m")) return;
  book.log.run_time = value * units::minute;
  book.ends(line);
}

/// "tokens per iteration will be: 491,520"
void nanogpt_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  const auto tokens = scan::amount(rest);
  if (!tokens) return;
  book.starts();
  book.log.tokens_per_step = tokens;
}

/// "number of parameters: 123.59M"
void nanogpt_parameters(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto count = scan::amount(rest); count && *count > 0) book.log.parameters = count;
}

}  // namespace gpuplan
