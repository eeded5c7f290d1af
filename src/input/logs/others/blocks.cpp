// Programs that write a head with the number of the step and a line for each value below it: OLMo (olmo/train.py,
// log_metrics_to_console), OLMo-core (src/olmo_core/train/callbacks/console_logger.py), NeMo RL
// (nemo_rl/algorithms/grpo.py). And what others say at their end.
#include <array>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

struct BlockName {
  std::string_view name;
  StepValue quantity;
  bool reciprocal = false;
};
constexpr std::array kOlmo = {
    BlockName{"train/CrossEntropyLoss", StepValue::kLoss},
    BlockName{"train/CE loss", StepValue::kLoss},
    BlockName{"optim/total_grad_norm", StepValue::kGradNorm},
    BlockName{"optim/total grad norm", StepValue::kGradNorm},
    BlockName{"optim/learning_rate_group0", StepValue::kLearningRate},
    BlockName{"optim/LR (group 0)", StepValue::kLearningRate},
    BlockName{"throughput/device/tokens_per_second", StepValue::kTokensPerGpu},
    BlockName{"throughput/device/TPS", StepValue::kTokensPerGpu},
    BlockName{"throughput/device/batches_per_second", StepValue::kStepSeconds, true},
    BlockName{"throughput/device/BPS", StepValue::kStepSeconds, true},
};

/// One value of the block that was begun.
void note(LogBook& book, const LogLine& line, LogFormat format, StepValue quantity, double value) {
  if (!book.facts.block) return;
  StepRecord record;
  record.step = *book.facts.block;
  record.set(quantity, value);
  book.record(format, record, line);
}

/// "1/100": the step and how many there are.
bool begin(LogBook& book, LogFormat format, std::string_view& rest) {
  double step = 0, total = 0;
  if (!scan::take_number(rest, step)) return false;
  if (scan::take(rest, "/") && scan::take_number(rest, total) && total > 0) book.log.planned_steps = total;
  book.facts.block = step;
  book.shows(format);
  return true;
}

}  // namespace

/// "[step=1/739328,epoch=0]"
void olmo_head(LogBook& book, const LogLine&, std::string_view rest) {
  if (rest.contains(",epoch=")) begin(book, LogFormat::kOlmo, rest);
}

/// "    throughput/device/tokens_per_second=11,203"
void olmo_value(LogBook& book, const LogLine& line, std::string_view) {
  const std::string_view text = trim(line.text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return;
  const auto value = scan::amount(text.substr(equals + 1));
  for (const BlockName& known : kOlmo)
    if (value && known.name == text.substr(0, equals) && (!known.reciprocal || *value > 0))
      note(book, line, LogFormat::kOlmo, known.quantity, known.reciprocal ? 1 / *value : *value);
}

/// "    gpu_memory/GPU reserved mem (GiB)=55.47"
void olmo_memory(LogBook& book, const LogLine&, std::string_view rest) {
  const bool reserved = rest.starts_with("reserved mem (GiB)="), active = rest.starts_with("active mem (GiB)=");
  if (!reserved && !active) return;
  if (const auto value = scan::number(rest.substr(rest.find('=') + 1)))
    book.memory(reserved ? LoggedMemory::kReserved : LoggedMemory::kAllocated, *value * units::GiB);
}

/// "    System/Peak GPU Memory (MB)=61,234": torch.cuda.max_memory_allocated() / 10^6
void olmo_peak(LogBook& book, const LogLine&, std::string_view rest) {
  constexpr Bytes kMegabyte{1e6};
  if (const auto value = scan::amount(rest)) book.memory(LoggedMemory::kAllocated, *value * kMegabyte);
}

/// "========================= Step 1/100 ========================="
void nemo_rl_head(LogBook& book, const LogLine& line, std::string_view rest) {
  if (line.text.starts_with("====") && line.text.ends_with("====")) begin(book, LogFormat::kNemoRl, rest);
}

/// "  • Avg Reward: 0.41", which its fine-tuning has not.
void nemo_rl_reward(LogBook& book, const LogLine&, std::string_view) { book.log.rewards = true; }

void nemo_rl_loss(LogBook& book, const LogLine& line, std::string_view rest) {
  if (const auto value = scan::number(rest)) note(book, line, LogFormat::kNemoRl, StepValue::kLoss, *value);
}

void nemo_rl_time(LogBook& book, const LogLine& line, std::string_view rest) {
  if (const auto value = scan::number(rest)) note(book, line, LogFormat::kNemoRl, StepValue::kStepSeconds, *value);
}

/// "Step 12" alone: the block of names below it, EasyR1's (verl/utils/logger/logger.py @ ConsoleLogger).
void easyr1_head(LogBook& book, const LogLine& line, std::string_view rest) {
  book.facts.block_of_names = false;
  if (!line.text.starts_with("Step ")) return;
  const auto step = scan::number(rest);
  if (!step || rest.find_first_not_of("0123456789") != std::string_view::npos) return;
  book.facts.block = step;
  book.facts.block_of_names = true;
}

/// "  pg_loss: 0.12" of that block. Of several networks the actor stands first.
void easyr1_value(LogBook& book, const LogLine& line, std::string_view rest) {
  struct BlockValue {
    std::string_view name;
    NamedValue value;
  };
  constexpr auto is_value = [](StepValue quantity) { return NamedValue{NamedValue::Kind::kQuantity, quantity, 1}; };
  constexpr auto gib = [](NamedValue::Kind kind) { return NamedValue{kind, StepValue::kLoss, units::GiB.value}; };
  static constexpr std::array kNames = {
      BlockValue{"pg_loss", is_value(StepValue::kLoss)},
      BlockValue{"grad_norm", is_value(StepValue::kGradNorm)},
      BlockValue{"time_per_step", is_value(StepValue::kStepSeconds)},
      BlockValue{"throughput", is_value(StepValue::kTokensPerGpu)},  // as verl's
      BlockValue{"max_memory_allocated_gb", gib(NamedValue::Kind::kAllocated)},
      BlockValue{"max_memory_reserved_gb", gib(NamedValue::Kind::kReserved)},
  };
  if (!book.facts.block_of_names || !line.text.starts_with(' ')) return;
  const std::string_view text = trim(line.text);
  const auto value = scan::number(rest);
  for (const BlockValue& known : kNames) {
    if (!value || !text.starts_with(known.name) || text.substr(known.name.size(), 2) != ": ") continue;
    StepRecord record;
    record.step = *book.facts.block;
    note_value(book, record, known.value, *value);
    book.log.rewards = true;
    if (record.known == 0) book.shows(LogFormat::kVerl);
    else book.record(LogFormat::kVerl, record, line);
  }
}

/// "`Trainer.fit` stopped: `max_epochs=2` reached."
void lightning_done(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!rest.contains("` reached")) return;
  book.ends(line);
  if (!book.log.planned_steps && book.step() > 0) book.log.planned_steps = book.step();
}

/// "100 epochs completed in 3.456 hours."
void ultralytics_done(LogBook& book, const LogLine& line, std::string_view rest) {
  if (rest.contains(" hours.")) book.ends(line);
}

}  // namespace gpuplan
