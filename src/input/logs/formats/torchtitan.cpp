// torchtitan (torchtitan/components/metrics.py): tps and tflops are those of one device, memory is the most that the
// allocator reserved since the line before, mfu is N/A with FP8. torchtune (training/metric_logging.py, DiskLogger):
// memory in GiB.
#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_count;
using scan::take_next;

/// "66.91GiB(37.51%)"
void take_memory(LogBook& book, std::string_view& rest) {
  double value = 0;
  if (!take_next(rest, value)) return;
  if (take(rest, "GiB")) book.memory(LoggedMemory::kReserved, value * units::GiB);
}

/// The fields of "key: value  key: value ...", whatever their order. False when the loss is not among them.
bool take_fields(LogBook& book, StepRecord& record, std::string_view rest, StepValue loss) {
  double value = 0;
  while (true) {
    scan::skip_spaces(rest);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) break;
    const std::string_view key = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
    scan::skip_spaces(rest);
    if (key == "memory") {
      take_memory(book, rest);
    } else if (take_count(rest, value)) {
      if (key == "loss" || key == "global_avg_loss") record.set(loss, value);
      else if (key == "grad_norm") record.set(StepValue::kGradNorm, value);
      else if (key == "tps" || key == "wps") record.set(StepValue::kTokensPerGpu, value);
      else if (key == "tflops") record.set(StepValue::kModelFlops, value * 1e12);
      else if (key == "iter") record.set(StepValue::kStepSeconds, value);  // Lingua
      else if (key == "lr") record.set(StepValue::kLearningRate, value);
    }
    // What is left of the value: a unit, a percent sign, "N/A".
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space);
  }
  return record.has(loss);
}

/// The number behind the words, anywhere in the text.
std::optional<double> figure(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  return scan::amount(text.substr(at + words.size()));
}

}  // namespace

Match torchtitan_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  const bool validation = take(rest, "validate ");
  StepRecord record;
  if (!take(rest, "step:") || !take_next(rest, record.step)) return Match::kNo;
  const StepValue loss = validation ? StepValue::kValidation : StepValue::kLoss;
  if (!take_fields(book, record, rest, loss)) return Match::kBroken;
  // Of a pipeline only the last stage has a loss: the others print -1, and the rates that all have.
  if (record[loss] == -1) {
    book.facts.stage_without_loss = true;
    if (validation) return Match::kRecord;
    record.known &= ~(1U << static_cast<unsigned>(loss));
    book.record(LogFormat::kTorchtitan, record, line);
    return Match::kRecord;
  }
  LogLine told = line;
  if (book.facts.stage_without_loss) told.rank = -1;
  if (validation) {
    const double value = record[loss];
    record = {.step = record.step};  // its rates are not those of training
    record.set(loss, value);
  }
  book.record(LogFormat::kTorchtitan, record, told);
  return Match::kRecord;
}

Match torchtune_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  StepRecord record;
  if (!take(rest, "Step ") || !take_next(rest, record.step) || !take(rest, " | ")) return Match::kNo;
  double value = 0;
  bool any = false;
  while (true) {
    scan::skip_spaces(rest);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) break;
    const std::string_view key = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
    if (!scan::take_number(rest, value)) return Match::kNo;
    any = note_value(book, record, key, value) || any;
  }
  if (!any) return Match::kNo;
  book.record(LogFormat::kTorchtune, record, line);
  return Match::kRecord;
}

/// "Trainer is initialized with local batch size 8, global batch size 64, gradient accumulation steps 1, sequence
/// length 8192, total training steps 1000 (warmup 200)", or "Training starts at step 1, with local batch size 8, ...".
void torchtitan_trainer(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!book.takes(LogFormat::kTorchtitan, line.rank)) return;
  book.starts();
  book.shows(LogFormat::kTorchtitan);
  if (const auto batch = figure(rest, "local batch size "))
    book.facts.device_batch = book.log.setup.micro_batch = batch;
  if (const auto batch = figure(rest, "global batch size ")) book.log.sequences_per_step = batch;
  if (const auto length = figure(rest, "sequence length ")) book.log.sequence_length = length;
  if (book.log.sequences_per_step && book.log.sequence_length)
    book.log.tokens_per_step = *book.log.sequences_per_step * *book.log.sequence_length;
  if (const auto length = figure(rest, "maximum context length ")) book.log.sequence_length = length;
  for (const std::string_view words : {"total training steps ", "total steps "})
    if (const auto steps = figure(rest, words)) book.log.planned_steps = steps;
}

/// "7000 tokens per DP rank, 56000 tokens per train step, gradient accumulation steps 1, ...", since 2026
void torchtitan_tokens(LogBook& book, const LogLine& line, std::string_view rest) {
  std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  before = before.substr(0, before.rfind(" tokens per train step"));
  if (const auto tokens = scan::amount(before.substr(before.rfind(' ') + 1)); tokens && *tokens > 0)
    book.log.tokens_per_step = tokens;
}

/// "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1": experts take no GPUs of
/// their own.
void torchtitan_degrees(LogBook& book, const LogLine&, std::string_view rest) {
  double product = 1;
  for (const std::string_view name : {"pp=", "dp_replicate=", "dp_shard=", "cp=", "tp="}) {
    const auto size = figure(rest, name);
    if (!size || !(*size >= 1)) return;
    product *= *size;
  }
  book.log.processes = product;
  for (const auto& [name, member] :
       {std::pair{std::string_view("pp="), &LoggedSetup::pp}, std::pair{std::string_view("cp="), &LoggedSetup::cp},
        std::pair{std::string_view("tp="), &LoggedSetup::tp}, std::pair{std::string_view("ep="), &LoggedSetup::ep}})
    if (const auto size = figure(rest, name); size && *size >= 1) book.log.setup.*member = size;
}

/// "CUDA capacity: NVIDIA H100 with 95.00GiB memory"
void torchtitan_gpu(LogBook& book, const LogLine&, std::string_view rest) {
  const std::size_t with = rest.find(" with ");
  if (with != std::string_view::npos && rest.find("GiB memory") != std::string_view::npos)
    book.log.gpu = printable(trim(rest.substr(0, with)), 80);
}

/// "Model llama3 8B size: 8,030,261,248 total parameters"
void torchtitan_parameters(LogBook& book, const LogLine& line, std::string_view) {
  if (const auto count = figure(line.text, "size: "); count && *count > 0) book.log.parameters = count;
}

/// "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]"
void torchtitan_mesh(LogBook& book, const LogLine&, std::string_view rest) {
  const std::size_t open = rest.rfind('[');
  if (open == std::string_view::npos) return;
  std::string_view names = rest.substr(0, open);
  rest.remove_prefix(open + 1);
  double product = 1, size = 0;
  LoggedSetup setup = book.log.setup;
  do {
    if (!take_next(rest, size)) return;
    product *= size;
    scan::take_until(names, '\'');
    const auto name = scan::take_until(names, '\'');
    if (!(size >= 1) || !name) continue;
    if (*name == "tp") setup.tp = size;
    else if (*name == "pp") setup.pp = size;
    else if (*name == "cp") setup.cp = size;
  } while (take(rest, ","));
  book.log.setup = setup;
  if (take(rest, "]") && product >= 1) book.log.processes = product;
}

void torchtitan_done(LogBook& book, const LogLine& line, std::string_view) { book.ends(line); }

}  // namespace gpuplan
