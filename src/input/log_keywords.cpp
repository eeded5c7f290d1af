#include "input/log_keywords.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "input/log_formats.h"

namespace gpuplan {
namespace {

struct Sentence {
  std::string_view words;  ///< four letters or more
  LogSentence* read;
};

constexpr std::array kSentences = {
    // preambles
    Sentence{"Number of parameters:", nanochat_parameters},
    Sentence{"total          ", nanochat_parameters},
    Sentence{"Total batch size ", nanochat_batch},
    Sentence{"Tokens / micro-batch / rank:", nanochat_device_tokens},
    Sentence{"Tokens / micro-batch:", nanochat_micro_tokens},
    Sentence{"Peak FLOPS (BF16)", nanochat_gpu},
    Sentence{"Peak memory usage:", nanochat_memory},
    Sentence{"Total training time:", nanochat_time},
    Sentence{"tokens per iteration will be:", nanogpt_tokens},
    Sentence{"number of parameters:", nanogpt_parameters},
    Sentence{"Trainer is initialized with ", torchtitan_trainer},
    Sentence{"Training starts at step ", torchtitan_trainer},
    Sentence{"CUDA capacity: ", torchtitan_gpu},
    Sentence{" total parameters", torchtitan_parameters},
    Sentence{"device mesh with ", torchtitan_mesh},
    Sentence{"Training completed", torchtitan_done},
    Sentence{"seq_length ...", megatron_arguments},
    Sentence{"global_batch_size ...", megatron_arguments},
    Sentence{"train_iters ...", megatron_arguments},
    Sentence{"world_size ...", megatron_arguments},
    Sentence{"using world size: ", megatron_world},
    Sentence{"memory (MB) |", megatron_memory},
    Sentence{"validation loss at iteration ", megatron_validation},
    Sentence{"[after training is done]", megatron_done},
    Sentence{"***** Running training *****", trainer_starts},
    Sentence{"Num Epochs = ", trainer_epochs},
    Sentence{"Instantaneous batch size per device = ", trainer_device_batch},
    Sentence{"Total train batch size (w. parallel, distributed & accumulation) = ", trainer_batch},
    Sentence{"Gradient Accumulation steps = ", trainer_accumulation},
    Sentence{"Total optimization steps = ", trainer_steps},
    Sentence{"Number of trainable parameters = ", trainer_trainable},
    Sentence{"trainable params: ", peft_parameters},
    Sentence{"processes registered. Starting with ", lightning_processes},
    Sentence{"Available KV cache memory:", vllm_cache_memory},
    Sentence{"GPU KV cache size:", vllm_cache_tokens},
    Sentence{"Avg generation throughput:", vllm_rates},
    Sentence{"est. speed input: ", vllm_prompts},
    Sentence{"Output token throughput (tok/s):", vllm_benchmark},
    Sentence{" output tokens/s", vllm_benchmark_throughput},
    Sentence{"all replicas are done", generation_done},
    // out of memory: PyTorch, the CUDA runtime, JAX, Slurm, the kernel
    Sentence{"OutOfMemoryError", out_of_memory},
    Sentence{"CUDA out of memory", out_of_memory},
    Sentence{"CUDA error: out of memory", out_of_memory},
    Sentence{"RESOURCE_EXHAUSTED: Out of memory", out_of_memory},
    Sentence{"No available memory for the cache blocks", out_of_memory},
    Sentence{"oom_kill event", out_of_memory},
    Sentence{"oom-kill event", out_of_memory},
    Sentence{"Out of memory: Killed process", out_of_memory},
    // not finite: Megatron, PyTorch's anomaly detection, programs of their own
    Sentence{"found NaN in ", not_finite},
    Sentence{"found Inf in ", not_finite},
    Sentence{"returned nan values", not_finite},
    Sentence{"oss is nan", not_finite},
    Sentence{"oss is NaN", not_finite},
    // errors: NCCL, CUDA, torchrun, Slurm, signals
    Sentence{"NCCL error", error_line},
    Sentence{"ncclSystemError", error_line},
    Sentence{"ncclUnhandledCudaError", error_line},
    Sentence{"ncclInternalError", error_line},
    Sentence{"ncclRemoteError", error_line},
    Sentence{"Watchdog caught collective operation timeout", error_line},
    Sentence{"CUDA error: ", error_line},
    Sentence{"NVRM: Xid", error_line},
    Sentence{"exitcode  : ", error_line},
    Sentence{"(SIGKILL)", error_line},
    Sentence{" Killed         ", error_line},  // bash, of a child: the kernel was out of memory as a rule
    Sentence{"ChildFailedError", error_line},
    Sentence{"Killed", killed_line},
    Sentence{"is killed by signal", error_line},  // a worker of PyTorch's DataLoader
    Sentence{"(SIGTERM) received by PID", error_line},
    Sentence{"Segmentation fault", error_line},
    Sentence{"Bus error", error_line},
    Sentence{"Fatal Python error", error_line},
    Sentence{"terminate called after throwing", error_line},
    Sentence{"KeyboardInterrupt", error_line},
    Sentence{"srun: error: ", error_line},
    Sentence{"DUE TO TIME LIMIT", error_line},
    Sentence{"DUE TO NODE FAILURE", error_line},
    Sentence{"Exited with exit code ", error_line},
    Sentence{"No space left on device", error_line},
    // stopped to be started again: Slurm, torchrun
    Sentence{"DUE TO PREEMPTION", restart_line},
    Sentence{"DUE TO JOB REQUEUE", restart_line},
    Sentence{"Restarting worker group", restart_line},
    Sentence{"will restart worker group", restart_line},
    // checkpoints, where they begin
    Sentence{"saving checkpoint ", checkpoint_line},
    Sentence{"Saving model checkpoint to ", checkpoint_line},
    Sentence{"Saving the checkpoint", checkpoint_line},
    Sentence{"Saved model parameters to", checkpoint_line},
    Sentence{"Model checkpoint of size", checkpoint_line},
    Sentence{"Resuming training from ", resume_line},
    Sentence{"Loading the checkpoint from ", resume_line},
    Sentence{"loading checkpoint from ", resume_line},
    Sentence{"Continuing training from checkpoint", resume_line},
};

constexpr std::size_t kFirst = 4;  ///< letters that a sentence is found by
constexpr unsigned kBits = 13;
constexpr std::uint8_t kNone = 0xFF;

constexpr std::uint32_t slot_of(std::uint32_t first) { return (first * 0x9E3779B1U) >> (32U - kBits); }

constexpr std::uint32_t letters(std::string_view text) {
  std::uint32_t value = 0;
  for (std::size_t i = kFirst; i-- > 0;) value = value << 8U | static_cast<unsigned char>(text[i]);
  return value;
}

/// Chains of sentences by a hash of their first letters.
struct Index {
  std::array<std::uint8_t, std::size_t{1} << kBits> heads{};
  std::array<std::uint8_t, kSentences.size()> next{};
};

constexpr Index kIndex = [] {
  static_assert(kSentences.size() < kNone);
  Index index;
  index.heads.fill(kNone);
  for (std::size_t i = 0; i < kSentences.size(); ++i) {
    std::uint8_t& head = index.heads[slot_of(letters(kSentences[i].words))];
    index.next[i] = head;
    head = static_cast<std::uint8_t>(i);
  }
  return index;
}();

std::uint32_t load(const char* at) {
  unsigned char bytes[kFirst];
  std::memcpy(bytes, at, kFirst);
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8U |
         static_cast<std::uint32_t>(bytes[2]) << 16U | static_cast<std::uint32_t>(bytes[3]) << 24U;
}

}  // namespace

void read_sentences(LogBook& book, const LogLine& line) {
  const std::string_view text = line.text;
  if (text.size() < kFirst) return;
  const char* const last = text.data() + text.size() - kFirst;
  for (const char* at = text.data(); at <= last; ++at) {
    std::uint8_t found = kIndex.heads[slot_of(load(at))];
    if (found == kNone) [[likely]]
      continue;
    const std::string_view rest = text.substr(static_cast<std::size_t>(at - text.data()));
    for (; found != kNone; found = kIndex.next[found]) {
      const Sentence& sentence = kSentences[found];
      if (rest.starts_with(sentence.words)) sentence.read(book, line, rest.substr(sentence.words.size()));
    }
  }
}

}  // namespace gpuplan
