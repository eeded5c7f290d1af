#include "input/logs/formats/keywords.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "input/logs/book/run_end_table.h"
#include "input/logs/fields/line_shape.h"
#include "input/logs/formats/formats.h"
#include "input/logs/others/others.h"
#include "input/logs/others/requests.h"

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
    Sentence{" trainer finished!", torchtitan_done},  // prime-rl
    Sentence{"seq_length ...", megatron_arguments},
    Sentence{"global_batch_size ...", megatron_arguments},
    Sentence{"train_iters ...", megatron_arguments},
    Sentence{"world_size ...", megatron_arguments},
    Sentence{"num_layers ...", megatron_arguments},
    Sentence{"hidden_size ...", megatron_arguments},
    Sentence{"micro_batch_size ...", megatron_arguments},
    Sentence{"tensor_model_parallel_size ...", megatron_arguments},
    Sentence{"pipeline_model_parallel_size ...", megatron_arguments},
    Sentence{"context_parallel_size ...", megatron_arguments},
    Sentence{"expert_model_parallel_size ...", megatron_arguments},
    Sentence{"bf16 ...", megatron_arguments},
    Sentence{"fp16 ...", megatron_arguments},
    Sentence{"fp8 ...", megatron_arguments},
    Sentence{"recompute_granularity ...", megatron_arguments},
    Sentence{"using world size: ", megatron_world},
    Sentence{"memory (MB) |", megatron_memory},
    Sentence{"validation loss at iteration ", megatron_validation},
    Sentence{"[after training is done]", megatron_done},
    Sentence{"***** Running training *****", trainer_starts},
    Sentence{"Num examples = ", trainer_examples},
    Sentence{"Num Epochs = ", trainer_epochs},
    Sentence{"Continuing training from global step ", trainer_goes_on},
    Sentence{"Instantaneous batch size per device = ", trainer_device_batch},
    Sentence{"Total train batch size (w. parallel, distributed & accumulation) = ", trainer_batch},
    Sentence{"Gradient Accumulation steps = ", trainer_accumulation},
    Sentence{"Gradient accumulation steps = ", trainer_accumulation},
    Sentence{" Batch size per device = ", trainer_device_batch},
    Sentence{"Data Parallel GPUs = ", trainer_gpus},
    Sentence{"Trainable parameters = ", trainer_trainable},
    Sentence{"{'loss': ", trainer_record},
    Sentence{"{'eval_loss': ", trainer_record},
    Sentence{"{'train_runtime': ", trainer_record},
    Sentence{"train_loss  ", trainer_mean_loss},
    Sentence{"  eval_loss  ", trainer_eval_loss},
    Sentence{"train_runtime  ", trainer_run_time},
    Sentence{"train_steps_per_second  ", trainer_step_rate},
    Sentence{"(token/s): ", sglang_rate},
    Sentence{"KV Cache is allocated.", sglang_cache},
    Sentence{"max_total_num_tokens=", sglang_tokens},
    Sentence{"memory (GB) |", megatron_memory_gb},
    Sentence{"tokens per train step", torchtitan_tokens},
    Sentence{"device mesh with parallelism: ", torchtitan_degrees},
    Sentence{"| - Memory Used", litgpt_memory},
    Sentence{"Memory used", litgpt_memory},
    Sentence{"| - Training Time", litgpt_time},
    Sentence{"Training time: ", litgpt_time},
    Sentence{"`Trainer.fit` stopped: ", lightning_done},
    Sentence{" epochs completed in ", ultralytics_done},
    Sentence{"(train) ", mmengine_line},
    Sentence{"Train: ", timm_line},
    Sentence{"Scheduled epochs: ", timm_epochs},
    Sentence{"Test: [", timm_test},
    Sentence{"Train Epoch: ", open_clip_line},
    Sentence{"num_updates", fairseq_line},
    Sentence{"| done training in ", fairseq_done},
    Sentence{"logging_writer.py:", clu_line},
    Sentence{"epoch     train_loss", fastai_head},
    Sentence{" eval_loss: ", accelerate_evaluation},
    Sentence{"Progress on:", loggable_bar},
    Sentence{"validation loss: ", levanter_validation},
    Sentence{"[step=", olmo_head},
    Sentence{"train/CrossEntropyLoss=", olmo_value},
    Sentence{"train/CE loss=", olmo_value},
    Sentence{"optim/", olmo_value},
    Sentence{"gpu_memory/GPU ", olmo_memory},
    Sentence{"throughput/device/", olmo_value},
    Sentence{"= Step ", nemo_rl_head},
    Sentence{"Step ", easyr1_head},
    Sentence{"pg_loss: ", easyr1_value},
    Sentence{"grad_norm: ", easyr1_value},
    Sentence{"time_per_step: ", easyr1_value},
    Sentence{"throughput: ", easyr1_value},
    Sentence{"max_memory_allocated_gb: ", easyr1_value},
    Sentence{"max_memory_reserved_gb: ", easyr1_value},
    Sentence{"• Avg Reward: ", nemo_rl_reward},
    Sentence{"• Loss: ", nemo_rl_loss},
    Sentence{"• Total step time: ", nemo_rl_time},
    Sentence{"Total optimization steps = ", trainer_steps},
    Sentence{"Number of trainable parameters = ", trainer_trainable},
    Sentence{"trainable params: ", peft_parameters},
    Sentence{"processes registered. Starting with ", lightning_processes},
    Sentence{"Resolved architecture: ", vllm_starts},
    Sentence{"Available KV cache memory:", vllm_cache_memory},
    Sentence{"reserved for KV Cache is ", vllm_cache_rest},
    Sentence{"GPU KV cache size:", vllm_cache_tokens},
    Sentence{"etting max batch total tokens to ", served_tokens},
    Sentence{"Avg generation throughput:", vllm_rates},
    Sentence{"est. speed input: ", vllm_prompts},
    Sentence{"Output token throughput (tok/s):", vllm_benchmark},
    Sentence{"Mean TTFT (ms):", benchmark_first_token},
    Sentence{"Mean TPOT (ms):", benchmark_per_token},
    Sentence{" output tokens/s", vllm_benchmark_throughput},
    Sentence{" Benchmark Result =", serving_benchmark},
    Sentence{"initial single prompt test run", serving_benchmark},
    Sentence{"Starting main benchmark run", serving_benchmark},
    Sentence{"Traffic request rate: ", serving_benchmark},
    Sentence{"all replicas are done", generation_done},
    Sentence{" Total steps = ", trainer_steps},  // Unsloth's banner
    Sentence{"Total batch size = ", trainer_batch},
    Sentence{"| Total batch size ", trainer_batch},
    Sentence{"train_batch_size ...", deepspeed_batch},
    Sentence{"peak memory allocated: ", nanogpt_memory},
    Sentence{"peak memory consumption: ", llmc_peak},
    Sentence{"device memory usage: ", llmc_memory},
    Sentence{"Peak reserved memory = ", unsloth_memory},
    Sentence{" seconds used for training", unsloth_time},
    Sentence{"Starting training..., iters: ", mlx_steps},
    Sentence{"Time/seq ", deepspeed_chat_speed},
    Sentence{"ppl: ", deepspeed_chat_evaluation},
    Sentence{" tokens per second)", llama_cpp_time},
    Sentence{"eval rate: ", ollama_rate},
    Sentence{"CUDA memory ", peak_memory},
    Sentence{"VRAM", peak_memory},
    Sentence{"GPU mem", peak_memory},
    Sentence{"GPU Mem", peak_memory},
    Sentence{"eval_epoch_loss=tensor(", llama_cookbook_evaluation},
    Sentence{"Total Output Throughput (tokens/sec):", vllm_benchmark},  // trtllm-bench
    Sentence{"[TTFT] (ms):", benchmark_first_token},
    Sentence{"[TPOT] (ms):", benchmark_per_token},
    Sentence{"Output token throughput (per sec) ", vllm_benchmark},     // GenAI-Perf
    Sentence{"Output Token Throughput (tokens/sec) ", vllm_benchmark},  // AIPerf
    Sentence{"Time to First Token (ms) ", benchmark_first_token},
    Sentence{"Inter Token Latency (ms) ", benchmark_per_token},
    Sentence{"Time to first token (ms) ", benchmark_first_token},
    Sentence{"Inter token latency (ms) ", benchmark_per_token},
    Sentence{" ± ", llama_bench_row},
    Sentence{"token throughput (completion token): ", vllm_benchmark},  // LMDeploy
    Sentence{"Profiling iterations: ", vllm_latency},
    Sentence{"Avg latency: ", vllm_latency},
    Sentence{" data=", llama_opt_line},
    Sentence{"S_TG t/s", batched_bench_head},
    Sentence{"Generate:", koboldcpp_rate},
    Sentence{" tokens:  ", exllama_rate},
    Sentence{":::MLLOG {", mlperf_line},
    Sentence{"Result for ", listing_begins},  // Ray Tune
    Sentence{"EVALUATION", listing_held_out},
    Sentence{"EVAL PERF", listing_held_out},
    Sentence{"TRAINING", listing_trains},
    Sentence{"aximum memory ", peak_memory},
    Sentence{"eak memory ", peak_memory},
    Sentence{"llocated memory: ", peak_memory},
    Sentence{"eserved memory: ", peak_memory},
    Sentence{"ax memory ", peak_memory},
    Sentence{"utput throughput", benchmark_rate},
    Sentence{"utput Throughput", benchmark_rate},
    Sentence{"equest throughput (", serving_benchmark},
    Sentence{"equest Throughput (", serving_benchmark},
    Sentence{"(TTFT)", benchmark_latency},
    Sentence{"(TPOT)", benchmark_latency},
    Sentence{"token_throughput(token/sec) ", vllm_benchmark},  // TensorRT-LLM's gptManagerBenchmark
    Sentence{"Average tokens/sec: ", generation_rate},         // gpt-fast
    Sentence{" tokens-per-sec", mlx_rate},
    Sentence{"median throughput: ", vllm_benchmark},  // SGLang's bench_one_batch
    Sentence{"Peak memory: ", mlx_memory},
    Sentence{"GPU peak memory ", torchtune_memory},
    Sentence{"System/Peak GPU Memory (MB)=", olmo_peak},
    Sentence{"inal evaluation | val loss: ", litgpt_final},
    Sentence{"gradient_accumulation_steps ..", deepspeed_passes},
    Sentence{"epoch:train:", espnet_line},
    Sentence{"wandb: ", wandb_line},
    Sentence{"# gpu  ", dmon_head},
    Sentence{"val loss ", llmc_validation},
    Sentence{"NVIDIA ", nvidia_smi_gpu},
    // lines of steps in any form
    Sentence{"step", step_word},
    Sentence{"Step", step_word},
    Sentence{"STEP", step_word},
    Sentence{"iter", step_word},
    Sentence{"Iter", step_word},
    Sentence{"poch", epoch_word},
    Sentence{"POCH", epoch_word},
    Sentence{"completed step: ", maxtext_sign},
    Sentence{"eval after train step ", maxtext_sign},
    Sentence{"SamplesPerSec=", deepspeed_sign},
    Sentence{"mom=[", deepspeed_sign},
    Sentence{"iter time (s):", deepspeed_sign},
    Sentence{"step_avg:", modded_sign},
    Sentence{"(+nan", llmc_sign},
    Sentence{"bf16 MFU", llmc_sign},
    Sentence{" (took ", llmc_sign},
    Sentence{"[T] step ", llmq_sign},
    Sentence{"[V] step ", llmq_sign},
    Sentence{"Loss: ", deepspeed_loss},
    Sentence{"loss: ", deepspeed_loss},
    Sentence{"loss = ", deepspeed_loss},
    Sentence{"loss=", loss_word},
    Sentence{"loss ", loss_word},
    Sentence{"Loss ", loss_word},
    Sentence{"Cost ", loss_word},
    Sentence{"loss is ", loss_word},
    Sentence{"tok/s", rate_word},
    Sentence{"tokens/s", rate_word},
    Sentence{"samples/s", rate_word},
    Sentence{"images/s", rate_word},
    // not finite: Megatron, PyTorch's anomaly detection, programs of their own
    Sentence{"found NaN in ", not_finite},
    Sentence{"found Inf in ", not_finite},
    Sentence{"returned nan values", not_finite},
    Sentence{"Skipping step. Attempted loss scale: ", deepspeed_overflow},
    Sentence{"oss is nan", not_finite},
    Sentence{"oss is NaN", not_finite},
    // checkpoints, where they begin
    Sentence{"saving checkpoint ", checkpoint_line},
    Sentence{"Saving model checkpoint to ", checkpoint_line},
    Sentence{"Saving the checkpoint", checkpoint_line},
    Sentence{"Saved model parameters to", checkpoint_line},
    Sentence{"Model checkpoint of size", checkpoint_line},
    Sentence{"esuming from ", resume_line},
    Sentence{"esuming training from ", resume_line},
    Sentence{"esumed from ", resume_line},
    Sentence{"estored from ", resume_line},
    Sentence{"estoring from ", resume_line},
    Sentence{"oading the checkpoint from ", resume_line},
    Sentence{"oading checkpoint from ", resume_line},
    Sentence{"oading distributed checkpoint from ", resume_line},
    Sentence{"oaded checkpoint ", resume_line},
    Sentence{"ontinuing training from checkpoint", resume_line},
};

constexpr std::size_t kFirst = 4;  ///< letters that a sentence is found by
constexpr unsigned kBits = 12;
constexpr unsigned kFilterBits = 16;
constexpr std::uint16_t kNoKeyword = 0xFFFF;

constexpr std::uint32_t hash_of_letters(std::uint32_t first) { return first * 0x9E3779B1U; }
constexpr std::uint32_t slot_of(std::uint32_t first) { return hash_of_letters(first) >> (32U - kBits); }

std::uint32_t load(const char* at) {
  unsigned char bytes[kFirst];
  std::memcpy(bytes, at, kFirst);
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8U |
         static_cast<std::uint32_t>(bytes[2]) << 16U | static_cast<std::uint32_t>(bytes[3]) << 24U;
}

/// Chains of sentences by a hash of their first letters; behind those above, the rows of data/run_ends.csv. Nearly all
/// places of a log begin none of them: a filter of more bits tells.
struct Index {
  std::span<const RunEnd> ends = run_ends();
  std::array<std::uint16_t, std::size_t{1} << kBits> heads{};
  std::array<std::uint64_t, (std::size_t{1} << kFilterBits) / 64> filter{};
  std::vector<std::uint16_t> next;

  Index() : next(kSentences.size() + ends.size()) {
    heads.fill(kNoKeyword);
    for (std::size_t i = 0; i < next.size(); ++i) {
      // What stands inside of tracebacks is asked for there.
      if (i >= kSentences.size() && ends[i - kSentences.size()].role > RunEnd::Role::kThread) continue;
      std::uint16_t& head = heads[slot_of(load(&words(i).front()))];
      next[i] = head;
      head = static_cast<std::uint16_t>(i);
      const std::uint32_t bit = hash_of_letters(load(&words(i).front())) >> (32U - kFilterBits);
      filter[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
  bool may_begin(std::uint32_t first) const {
    const std::uint32_t bit = hash_of_letters(first) >> (32U - kFilterBits);
    return (filter[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  std::string_view words(std::size_t i) const {
    return i < kSentences.size() ? kSentences[i].words : std::string_view(ends[i - kSentences.size()].words);
  }
};

const Index& known_index() {
  static const Index index;
  return index;
}

}  // namespace

void find_sentences(std::string_view text, std::vector<LineShapes::Finding>& found) {
  const Index& index = known_index();
  if (text.size() < kFirst) return;
  const char* const last = text.data() + text.size() - kFirst;
  for (const char* at = text.data(); at <= last; ++at) {
    const std::uint32_t first = load(at);
    if (!index.may_begin(first)) [[likely]]
      continue;
    const auto position = static_cast<std::size_t>(at - text.data());
    const std::string_view rest = text.substr(position);
    for (std::uint16_t i = index.heads[slot_of(first)]; i != kNoKeyword; i = index.next[i]) {
      const bool end = i >= kSentences.size();
      if (end ? index.ends[i - kSentences.size()].matches(text, position) : rest.starts_with(kSentences[i].words))
        found.push_back({i, position, index.words(i).size()});
    }
  }
}

namespace {

/// What the line says as a whole, once its sentences are read.
void read_whole(LogBook& book, const LogLine& line, std::uint64_t told) {
  const LogFormat format = book.marks.sign.value_or(LogFormat::kFields);
  if (book.facts.plain.open && book.told() == told && plain_value(book, line)) return;
  if (book.marks.step && fields_line(book, line, book.marks.step_at, format)) return;
  if (book.marks.epoch) epoch_line(book, line, format);  // "Epoch 1/20 (157 steps) - loss: 1.8"
  else if (book.marks.step) return;
  else if (book.marks.loss) fields_step(book, line, format);
  else if (book.marks.rate && book.told() == told) generation_line(book, line);
}

}  // namespace

void read_sentences(LogBook& book, const LogLine& line) {
  const Index& index = known_index();
  thread_local std::vector<LineShapes::Finding> found;
  const std::string_view text = line.text;
  book.marks = {};
  if (text.size() < kFirst) return;
  LineShapes& shapes = line_shapes();
  found.clear();
  if (const LineShape* const shape = shapes.find(text)) {
    for (const LineShape::Found& one : shape->found())
      found.push_back({one.what, shape->place(one), index.words(one.what).size()});
  } else {
    find_sentences(text, found);
    if (!found.empty()) shapes.learn(text, found);
  }
  const std::uint64_t told = book.told();
  std::size_t end = index.ends.size();  // the first row that the line matches
  for (const LineShapes::Finding& one : found) {
    if (one.what >= kSentences.size()) end = std::min<std::size_t>(end, one.what - kSentences.size());
    else kSentences[one.what].read(book, line, text.substr(one.at + one.size));
  }
  read_whole(book, line, told);
  if (end == index.ends.size()) return;
  const RunEnd& row = index.ends[end];
  if (row.role == RunEnd::Role::kEnd) book.event(row.kind, line, text, row.stopped);
  else if (row.role == RunEnd::Role::kIgnored) book.marks.noise = Noise::kIgnored;
  else if (row.role == RunEnd::Role::kThread) book.marks.noise = Noise::kThread;
}

// What can happen to any run: NaN, checkpoints, and going on from one. How runs end is data/run_ends.csv.

void not_finite(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kNotFinite, line, line.text);
}

void checkpoint_line(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kCheckpoint, line, line.text);
}

/// A checkpoint is read: steps that come again are done again.
void resume_line(LogBook& book, const LogLine& line, std::string_view) { book.resumes(line); }

}  // namespace gpuplan
