// Megatron-LM (megatron/training/training.py): a line is the mean of log-interval iterations; TFLOP/s are those of one
// GPU; forks add fields, so a line is read by the names of its fields. Its last rank writes it.
#include <algorithm>
#include <utility>

#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Iteration {
  StepRecord record;
  double batch = 0, nan_iterations = 0, tokens_per_gpu = 0, samples = 0, tokens = 0;
  bool told_skipped = false;  ///< it has the field that stands behind the losses
};

/// "samples/sec: 127.7", "approx flops per GPU: 128.9TFLOPS" of GPT-NeoX
void take_rate(StepRecord& record, std::string_view text) {
  LogFields fields(text);
  LogField one;
  if (!fields.next(one)) return;
  const NamedValue named = meaning_of(one);
  if (named.kind == NamedValue::Kind::kQuantity && !record.has(named.quantity))
    record.set(named.quantity, one.value * named.scale);
}

/// `field`: "key: text".
void take_field(Iteration& it, std::string_view key, std::string_view text, std::string_view field) {
  double value = 0;
  if (key.empty() || !take_next(text, value)) return;
  StepRecord& record = it.record;
  switch (key.front()) {
    case 'c':
      if (key == "consumed samples") it.samples = value;
      else if (key == "consumed tokens") it.tokens = value;
      break;
    case 'e':
      if (key == "elapsed time per iteration (ms)") record.set(StepValue::kStepSeconds, value / 1e3);
      break;
    case 't':
      if (key == "throughput per GPU (TFLOP/s/GPU)") record.set(StepValue::kModelFlops, value * 1e12);
      else if (key == "tokens/sec/gpu" || key == "tokens per gpu per second (tgs)") it.tokens_per_gpu = value;
      break;
    case 'l':
      if (key == "lm loss" || key == "lm-loss" || key == "lm_loss" || key == "loss")
        record.set(StepValue::kLoss, value);
      else if (key == "learning rate") record.set(StepValue::kLearningRate, value);
      break;
    case 'g':
      if (key == "grad norm") record.set(StepValue::kGradNorm, value);
      else if (key == "global batch size") it.batch = value;
      break;
    case 'n':
      if (key == "number of nan iterations") {
        it.nan_iterations = value;
      } else if (key == "number of skipped iterations") {
        it.record.left_out = value;
        it.told_skipped = true;
      }
      break;
    default:
      if (key.contains('/') || key.contains("per ")) take_rate(record, field);
      break;
  }
}

}  // namespace

Match megatron_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  scan::skip_spaces(rest);
  Iteration it;
  double planned = 0;
  if (!take(rest, "iteration ") || !take_next(rest, it.record.step) || !take(rest, "/") || !take_next(rest, planned))
    return Match::kNo;
  bool closed = false;
  while (const auto field = scan::take_until(rest, '|')) {
    closed = true;
    const std::size_t colon = field->find(':');
    if (colon != std::string_view::npos)
      take_field(it, trimmed(field->substr(0, colon)), field->substr(colon + 1), *field);
    else if (std::string_view bare = trimmed(*field); take(bare, "loss ") || take(bare, "lm loss "))
      take_field(it, "loss", bare, bare);  // SwissArmyTransformer's have no colons
    else if (take(bare, "learning rate ")) take_field(it, "learning rate", bare, bare);
  }
  if (!closed) return Match::kNo;
  if (!it.record.has(StepValue::kStepSeconds)) return Match::kBroken;
  RunLog& log = book.log;
  log.planned_steps = planned;
  if (!log.sequence_length && it.samples > 0 && it.tokens > 0) log.sequence_length = it.tokens / it.samples;
  if (it.batch > 0) {
    log.sequences_per_step = it.batch;
    if (log.sequence_length) {
      log.tokens_per_step = it.batch * *log.sequence_length;
      const double seconds = it.record[StepValue::kStepSeconds];
      if (seconds > 0) it.record.set(StepValue::kTokens, *log.tokens_per_step / seconds);
    }
  }
  if (it.tokens_per_gpu > 0) it.record.set(StepValue::kTokensPerGpu, it.tokens_per_gpu);
  // Of iterations that were skipped, a loss that is not finite changed nothing: whether they are too many, their number
  // tells.
  const bool harmless = it.nan_iterations <= it.record.left_out;
  if (!it.record.has(StepValue::kLoss)) {
    it.record.left_out = std::max(it.record.left_out, it.nan_iterations);
    // A mean that is not above 0 is not printed (core_v0.12 to v0.15): of iterations that were done, it is none.
    if (it.told_skipped && it.record.left_out == 0 && book.step_format() == LogFormat::kMegatron && !log.loss.empty())
      it.record.set(StepValue::kLoss, scan::kUnknown);
  }
  if (it.nan_iterations > 0 && !harmless)
    book.event(LogEvent::Kind::kNotFinite, line, "iterations were left out because their gradients were not finite");
  book.record(LogFormat::kMegatron, it.record, line);
  return Match::kRecord;
}

/// "Training epoch 0, iteration 4/499 | lr: 1.5e-07 | global_batch_size: 128 | global_step: 4 |
/// reduced_train_loss: 10.8 | train_step_timing in s: 3.5" of NeMo 2
/// (nemo/lightning/pytorch/callbacks/progress_printer.py): counted from 0 to the last one.
Match nemo_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  double epoch = 0, last = 0;
  Iteration it;
  if (!take(rest, "Training epoch ") || !take_next(rest, epoch) || !take(rest, ", iteration ") ||
      !take_next(rest, it.record.step))
    return Match::kNo;
  const bool planned = take(rest, "/") && take_next(rest, last);
  if (!take(rest, " | ")) return Match::kBroken;
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find(" | "));
    rest.remove_prefix(std::min(rest.size(), field.size() + 3));
    const std::size_t colon = field.find(": ");
    std::string_view number = colon == std::string_view::npos ? std::string_view() : field.substr(colon + 2);
    double value = 0;
    if (!take_next(number, value)) continue;
    const std::string_view name = field.substr(0, colon);
    if (name == "reduced_train_loss") it.record.set(StepValue::kLoss, value);
    else if (name == "train_step_timing in s") it.record.set(StepValue::kStepSeconds, value);
    else if (name == "grad_norm") it.record.set(StepValue::kGradNorm, value);
    else if (name == "lr") it.record.set(StepValue::kLearningRate, value);
    else if (name == "val_loss") it.record.set(StepValue::kValidation, value);
    else if (name == "global_step") it.record.step = value;  // an iteration is one of its epoch
    else if (name == "global_batch_size" && value > 0) book.log.sequences_per_step = value;
    else if (name == "max_memory_reserved") book.memory(LoggedMemory::kReserved, Bytes{value});
    else if (name == "peak_memory_usage") book.memory(LoggedMemory::kAllocated, Bytes{value});
    else if (const NamedValue named = meaning_of_key(name);
             named.kind == NamedValue::Kind::kQuantity && !it.record.has(named.quantity))
      it.record.set(named.quantity, value * named.scale);
  }
  it.record.step += 1;
  if (planned) book.log.planned_steps = last + 1;
  book.record(LogFormat::kNemo, it.record, line);
  return Match::kRecord;
}

namespace {

/// What an argument says of the network and its layout.
void take_setup(LoggedSetup& setup, std::string_view key, std::string_view text) {
  static constexpr std::pair<std::string_view, std::optional<double> LoggedSetup::*> kCounts[] = {
      {"num_layers", &LoggedSetup::layers},
      {"hidden_size", &LoggedSetup::hidden},
      {"micro_batch_size", &LoggedSetup::micro_batch},
      {"tensor_model_parallel_size", &LoggedSetup::tp},
      {"pipeline_model_parallel_size", &LoggedSetup::pp},
      {"context_parallel_size", &LoggedSetup::cp},
      {"expert_model_parallel_size", &LoggedSetup::ep}};
  for (const auto& [name, member] : kCounts)
    if (key == name)
      if (const auto count = scan::number(text); count && *count >= 1) setup.*member = count;
  // The list is in alphabetical order: fp8 stands beside bf16, which is what is not cast.
  if (text == "True" && (key == "bf16" || key == "fp16")) setup.precision = from_name<Precision>(key);
  if (key == "fp8" && text != "None" && text != "False") setup.precision = Precision::kFp8;
  if (key == "recompute_granularity" && text != "None") setup.recompute = from_name<Recompute>(text);
}

}  // namespace

/// "  seq_length ...................................... 2048" of the list of arguments.
void megatron_arguments(LogBook& book, const LogLine& line, std::string_view rest) {
  std::string_view name = line.text;
  scan::skip_spaces(name);
  const auto key = scan::take_until(name, ' ');
  while (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  if (key) take_setup(book.log.setup, *key, trimmed(rest));
  const auto value = scan::number(rest);
  if (!key || !value || !(*value > 0)) return;
  if (*key == "seq_length") {
    book.log.sequence_length = value;
    book.starts();
    book.shows(LogFormat::kMegatron);
  } else if (*key == "global_batch_size") {
    book.log.sequences_per_step = value;
  } else if (*key == "train_iters") {
    book.log.planned_steps = value;
  } else if (*key == "world_size") {
    book.log.processes = value;
  }
  if (book.log.sequence_length && book.log.sequences_per_step)
    book.log.tokens_per_step = *book.log.sequence_length * *book.log.sequences_per_step;
}

/// "[Rank 0] (after 1 iterations) memory (MB) | allocated: 10770.37 | max allocated: 15754.88 | reserved: 16334.0 |
/// max reserved: 16334.0", in MiB in truth.
void megatron_memory(LogBook& book, const LogLine&, std::string_view rest) {
  book.shows(LogFormat::kMegatron);
  for (const auto& [words, kind] : {std::pair{std::string_view("max allocated:"), LoggedMemory::kAllocated},
                                    std::pair{std::string_view("max reserved:"), LoggedMemory::kReserved}}) {
    const std::size_t at = rest.find(words);
    if (at == std::string_view::npos) continue;
    if (const auto value = scan::number(rest.substr(at + words.size()))) book.memory(kind, *value * units::MiB);
  }
}

/// "(after 2 iterations) memory (GB) | mem-max-allocated-gigabytes: 57.37 | ..." of Megatron-Bridge: 10^9 bytes.
void megatron_memory_gb(LogBook& book, const LogLine&, std::string_view rest) {
  book.shows(LogFormat::kMegatron);
  for (const auto& [words, kind] :
       {std::pair{std::string_view("mem-max-allocated-gigabytes:"), LoggedMemory::kAllocated},
        std::pair{std::string_view("mem-max-reserved-gigabytes:"), LoggedMemory::kReserved}}) {
    const std::size_t at = rest.find(words);
    if (at == std::string_view::npos) continue;
    if (const auto value = scan::number(rest.substr(at + words.size()))) book.memory(kind, Bytes{*value * 1e9});
  }
}

/// "validation loss at iteration 1000 | lm loss value: 2.531207E+00 | lm loss PPL: 1.2E+01 |"
void megatron_validation(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::string_view kLoss = "lm loss value:";
  StepRecord record;
  const std::size_t at = rest.find(kLoss);
  if (at == std::string_view::npos || !take_next(rest, record.step)) return;
  if (const auto value = scan::number(line.text.substr(line.text.find(kLoss) + kLoss.size()))) {
    record.set(StepValue::kValidation, *value);
    book.record(LogFormat::kMegatron, record, line);
  }
}

/// "using world size: 8, data-parallel size: 8, ..."
void megatron_world(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto size = scan::number(rest); size && *size > 0) book.log.processes = size;
}

void megatron_done(LogBook& book, const LogLine& line, std::string_view) { book.ends(line); }

}  // namespace gpuplan
