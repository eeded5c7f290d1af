// Lines of programs whose steps are told by the names of their numbers (steps.cpp) that have a form of their own:
// LLMQ's records, llama2.c's, and what DeepSpeed, llm.c, torchtune and others say beside their steps.
#include <string_view>

#include "base/text.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {

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
    return shaped_step(book, behind, format, record.step) ? Match::kRecord : Match::kNo;
  }
  const bool train = scan::take(rest, " train ");
  if (!train && !scan::take(rest, " val ")) return Match::kNo;
  if (!scan::take_number(rest, value) || !trim(rest).empty()) return Match::kNo;
  record.set(train ? StepValue::kLoss : StepValue::kValidation, value);
  book.record(LogFormat::kFields, record, line);
  return Match::kRecord;
}

// What only the lines of one program hold.
void deepspeed_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kDeepSpeed); }
void modded_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kModdedNanogpt); }
void llmc_sign(LogBook& book, const LogLine&, std::string_view) { book.marks.add(LogFormat::kLlmC); }
void llmq_sign(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWords = std::string_view("[T] step ").size();
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size() - kWords);
  if (before.empty() || before == "# ") book.marks.add(LogFormat::kLlmq);  // quoted in its recipes
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
