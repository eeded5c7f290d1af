#include "input/logs/book/names.h"

#include <algorithm>
#include <array>

#include "input/logs/book/known_names.h"

namespace gpuplan {
namespace {

struct Name {
  std::string_view name;
  NamedValue value;
};

constexpr NamedValue of(StepValue quantity, double scale = 1) { return {NamedValue::Kind::kQuantity, quantity, scale}; }
constexpr NamedValue gib(NamedValue::Kind kind) { return {kind, StepValue::kLoss, units::GiB.value}; }
constexpr NamedValue mib(NamedValue::Kind kind) { return {kind, StepValue::kLoss, units::MiB.value}; }

/// Exact names: "lm loss vs samples" (Megatron) is the loss over another axis, "train/train_loss" (Trainer) a mean.
constexpr KnownNames kNames(std::array{
    // any program
    Name{"loss", of(StepValue::kLoss)},
    Name{"train_loss", of(StepValue::kLoss)},
    Name{"train_loss_step", of(StepValue::kLoss)},
    Name{"training_loss", of(StepValue::kLoss)},
    Name{"train/loss", of(StepValue::kLoss)},
    Name{"training/loss", of(StepValue::kLoss)},
    Name{"loss/train", of(StepValue::kLoss)},
    Name{"Loss/train", of(StepValue::kLoss)},
    Name{"val_loss", of(StepValue::kValidation)},
    Name{"valid_loss", of(StepValue::kValidation)},
    Name{"validation_loss", of(StepValue::kValidation)},
    Name{"eval_loss", of(StepValue::kValidation)},
    Name{"val/loss", of(StepValue::kValidation)},
    Name{"eval/loss", of(StepValue::kValidation)},
    Name{"validation/loss", of(StepValue::kValidation)},
    Name{"loss/val", of(StepValue::kValidation)},
    Name{"Loss/val", of(StepValue::kValidation)},
    Name{"val_bpb", of(StepValue::kValidation)},
    Name{"val/bpb", of(StepValue::kValidation)},
    Name{"grad_norm", of(StepValue::kGradNorm)},
    Name{"train/grad_norm", of(StepValue::kGradNorm)},
    Name{"grad_2.0_norm_total", of(StepValue::kGradNorm)},
    Name{"lr", of(StepValue::kLearningRate)},
    Name{"train/lr", of(StepValue::kLearningRate)},
    Name{"learning_rate", of(StepValue::kLearningRate)},
    Name{"train/learning_rate", of(StepValue::kLearningRate)},
    Name{"steps_per_second", {NamedValue::Kind::kStepRate}},  // CLU
    Name{"epoch", {NamedValue::Kind::kEpoch}},
    Name{"step", {NamedValue::Kind::kStep}},
    Name{"global_step", {NamedValue::Kind::kStep}},
    Name{"Step", {NamedValue::Kind::kStep}},
    Name{"_step", {NamedValue::Kind::kStep}},
    Name{"trainer/global_step", {NamedValue::Kind::kStep}},
    // W&B: seconds since the run began
    Name{"_runtime", of(StepValue::kClock)},
    Name{"Relative Time (Process)", of(StepValue::kClock)},
    Name{"Relative Time (Wall)", of(StepValue::kClock)},
    // TensorBoard's downloads: seconds since 1970
    Name{"Wall time", of(StepValue::kClock)},
    // torchtitan
    Name{"loss_metrics/global_avg_loss", of(StepValue::kLoss)},
    Name{"validation_metrics/loss", of(StepValue::kValidation)},
    Name{"throughput(tps)", of(StepValue::kTokensPerGpu)},
    Name{"tflops", of(StepValue::kModelFlops, 1e12)},
    Name{"time_metrics/end_to_end(s)", of(StepValue::kStepSeconds)},
    Name{"memory/max_reserved(GiB)", gib(NamedValue::Kind::kReserved)},
    Name{"memory/max_active(GiB)", gib(NamedValue::Kind::kAllocated)},
    // torchtune
    Name{"tokens_per_second_per_gpu", of(StepValue::kTokensPerGpu)},
    Name{"peak_memory_active", gib(NamedValue::Kind::kAllocated)},
    Name{"peak_memory_alloc", gib(NamedValue::Kind::kAllocated)},
    Name{"peak_memory_reserved", gib(NamedValue::Kind::kReserved)},
    Name{"time_per_step_s", of(StepValue::kStepSeconds)},
    // axolotl (src/axolotl/core/trainers/base.py @ 067b021) and its versions before; tokens are those with a loss
    Name{"memory/max_active (GiB)", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/max_allocated (GiB)", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/device_reserved (GiB)", gib(NamedValue::Kind::kReserved)},
    Name{"memory/max_mem_active(gib)", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/max_mem_allocated(gib)", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/device_mem_reserved(gib)", gib(NamedValue::Kind::kReserved)},
    Name{"memory/max_memory_active", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/max_memory_allocated", gib(NamedValue::Kind::kAllocated)},
    Name{"memory/device_memory_reserved", gib(NamedValue::Kind::kReserved)},
    Name{"tokens/train_per_sec_per_gpu", of(StepValue::kTokensPerGpu)},
    // ms-swift: torch.cuda.max_memory_reserved()
    Name{"memory(GiB)", gib(NamedValue::Kind::kReserved)},
    // Liger's callback for Trainer (examples/huggingface/callback.py @ ead96b6): tokens that Trainer counts on all
    // GPUs, MB of 2^20 bytes
    Name{"step_tokens_per_second", of(StepValue::kTokens)},
    Name{"step_peak_memory_allocated_MB", mib(NamedValue::Kind::kAllocated)},
    Name{"total_peak_memory_allocated_MB", mib(NamedValue::Kind::kAllocated)},
    Name{"step_peak_memory_reserved_MB", mib(NamedValue::Kind::kReserved)},
    Name{"total_peak_memory_reserved_MB", mib(NamedValue::Kind::kReserved)},
    // Megatron-LM
    Name{"lm loss", of(StepValue::kLoss)},
    Name{"lm loss validation", of(StepValue::kValidation)},
    Name{"grad-norm", of(StepValue::kGradNorm)},
    Name{"learning-rate", of(StepValue::kLearningRate)},
    Name{"iteration-time", of(StepValue::kStepSeconds)},
    Name{"lm-loss", of(StepValue::kLoss)},
    Name{"throughput", of(StepValue::kModelFlops, 1e12)},
    // nanochat
    Name{"train/dt", of(StepValue::kStepSeconds)},
    Name{"train/tok_per_sec", of(StepValue::kTokens)},
    // Lightning's ThroughputMonitor; items are tokens in the programs that count them
    Name{"train/time", of(StepValue::kClock)},
    Name{"train/device/items_per_sec", of(StepValue::kTokensPerGpu)},
    Name{"train/items_per_sec", of(StepValue::kTokens)},
    Name{"train/device/flops_per_sec", of(StepValue::kModelFlops)},
});

}  // namespace

NamedValue named_value(std::string_view name) {
  const Name* const found = kNames.find(name);
  return found == nullptr ? NamedValue{} : found->value;
}

bool tells_rewards(std::string_view name) {
  constexpr std::array<std::string_view, 6> kSigns = {"reward", "pg_loss",      "policy_loss",
                                                      "ppo_kl", "completions/", "advantage"};
  return std::ranges::any_of(kSigns, [name](std::string_view sign) { return name.contains(sign); });
}

bool note_value(LogBook& book, StepRecord& record, std::string_view name, double value) {
  const NamedValue named = named_value(name);
  if (named.kind == NamedValue::Kind::kNothing && !book.log.rewards) book.log.rewards = tells_rewards(name);
  return note_value(book, record, named, value);
}

bool note_value(LogBook& book, StepRecord& record, const NamedValue& named, double value) {
  switch (named.kind) {
    case NamedValue::Kind::kNothing:
      return false;
    case NamedValue::Kind::kQuantity:
      record.set(named.quantity, value * named.scale);
      break;
    case NamedValue::Kind::kAllocated:
      book.memory(LoggedMemory::kAllocated, Bytes{value * named.scale});
      break;
    case NamedValue::Kind::kReserved:
      book.memory(LoggedMemory::kReserved, Bytes{value * named.scale});
      break;
    case NamedValue::Kind::kStep:
      record.step = value;
      break;
    case NamedValue::Kind::kEpoch:
      record.epoch = value;
      book.epoch(value);
      break;
    case NamedValue::Kind::kStepRate:
      if (value > 0) record.set(StepValue::kStepSeconds, 1 / (value * named.scale));
      break;
    case NamedValue::Kind::kMeanTime:
      break;
  }
  return true;
}

}  // namespace gpuplan
