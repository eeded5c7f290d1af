#include "launch/command/rewards.h"

#include <charconv>
#include <concepts>
#include <optional>

#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

template <class Number>
std::optional<Number> number(const std::vector<CommandWord>& words, std::string_view name) {
  const auto text = option(words, name);
  if (!text) return std::nullopt;
  Number value = 0;
  std::from_chars_result read{};
  if constexpr (std::same_as<Number, double>) read = read_number(text->data(), text->data() + text->size(), value);
  else read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size()) return std::nullopt;
  return value;
}

/// "--use_vllm", "--use_vllm true".
bool says(const std::vector<CommandWord>& words, std::string_view name) {
  const auto value = option(words, name);
  return value && !iequals(*value, "false") && *value != "0";
}

/// A flag's number, or the program's own where no file may say another; nullopt: the flag is there and the shell fills
/// it in, or the file decides.
std::optional<int> decided(const std::vector<CommandWord>& words, std::string_view name, std::optional<int> otherwise) {
  if (option(words, name)) return number<int>(words, name);
  return option(words, "config") ? std::nullopt : otherwise;
}

/// Why the answers of a step are no whole groups (trl/trainer/grpo_config.py @ f2cd577; its batch of 8 is that of
/// transformers' TrainingArguments).
std::string broken_groups(const std::vector<CommandWord>& words, int processes) {
  constexpr int kBatch = 8, kGenerations = 8;
  const auto group = decided(words, "num-generations", kGenerations);
  if (!group) return "";
  if (*group < 2) return "has --num_generations " + std::to_string(*group) + ", but GRPO compares 2 answers or more";
  std::string made;
  std::optional<int> answers = number<int>(words, "generation-batch-size");
  if (answers) {
    made = "--generation_batch_size " + std::to_string(*answers);
  } else {
    const auto batch = decided(words, "per-device-train-batch-size", kBatch);
    const auto passes = decided(words, "gradient-accumulation-steps", 1);
    const auto steps = option(words, "steps-per-generation") ? number<int>(words, "steps-per-generation") : passes;
    if (!batch || !steps) return "";
    answers = *batch * processes * *steps;
    made = std::to_string(*batch) + " x " + std::to_string(processes) + " processes x " + std::to_string(*steps) +
           " = " + std::to_string(*answers) + " answers";
  }
  if (*answers % *group == 0) return "";
  return "makes " + made + " at a time, which do not divide into groups of " + std::to_string(*group) +
         " (--num_generations); set --num_generations or --per_device_train_batch_size so that they do";
}

}  // namespace

bool learns_by_rewards(const std::vector<CommandWord>& words) {
  const std::size_t at = program_word(words);
  return at + 1 < words.size() && program_name(words[at].text) == "trl" && words[at + 1].text == "grpo";
}

std::string rewarded_wrongly(const std::vector<CommandWord>& words, std::string_view text, int processes) {
  if (!option(words, "config") && !option(words, "reward-funcs") && !option(words, "reward-model-name-or-path"))
    return "starts trl grpo without a reward; give it --reward_funcs (accuracy_reward, think_format_reward, or a "
           "function of yours as module.function) or --reward_model_name_or_path";
  if (std::string wrong = broken_groups(words, processes); !wrong.empty()) return wrong;
  if (!says(words, "use-vllm")) return "";
  const auto mode = option(words, "vllm-mode");
  if (mode && *mode == "server") {
    if (text.contains("trl vllm-serve"))
      return "starts trl vllm-serve beside the training, but the plan's " + std::to_string(processes) +
             " GPUs are all of the training, and TRL refuses a server on the same; write --vllm_mode colocate, or "
             "start "
             "the server on GPUs of its own and give --vllm_server_base_url";
    if (!option(words, "vllm-server-base-url") && !option(words, "vllm-server-host"))
      return "asks a vLLM server that it does not start; give --vllm_server_base_url of a running trl vllm-serve, or "
             "--vllm_mode colocate";
    return "";
  }
  if (const auto tp = number<int>(words, "vllm-tensor-parallel-size"); tp && *tp > 0 && processes % *tp != 0)
    return "has --vllm_tensor_parallel_size " + std::to_string(*tp) + ", which does not divide the plan's " +
           std::to_string(processes) + " processes";
  return "";
}

std::string uncounted_of_rewards(const std::vector<CommandWord>& words) {
  std::string sentence = "trl grpo generates its answers itself: time and memory of the plan are of learning from them";
  const auto mode = option(words, "vllm-mode");
  if (says(words, "use-vllm") && (!mode || *mode != "server")) {
    constexpr double kShare = 0.3;  // vllm_gpu_memory_utilization of GRPOConfig
    const double share = number<double>(words, "vllm-gpu-memory-utilization").value_or(kShare);
    sentence += ", and vLLM takes " + fixed_text(share * 100, 0) + "% of each GPU beside it";
  }
  return sentence + ".";
}

}  // namespace gpuplan
