// The parsers of single formats: what their lines of steps look like, and the sentences of their preambles. Each takes
// a line without prefixes (LogLine) and writes what it finds into the book.
#pragma once

#include <cstddef>
#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

// Lines of steps. Each is asked for lines that begin as its own may.
Match nanochat_step(LogBook& book, const LogLine& line);    ///< "step 00180/02520 (7.14%) | loss: ..."
Match nanogpt_step(LogBook& book, const LogLine& line);     ///< "iter 10: loss ...", "step 250: train loss ..."
Match torchtitan_step(LogBook& book, const LogLine& line);  ///< "step:  3  loss:  4.9925 ..."
Match torchtune_step(LogBook& book, const LogLine& line);   ///< "Step 12 | loss:1.23 lr:2e-05 ..."
Match megatron_step(LogBook& book, const LogLine& line);    ///< "iteration 1/ 5000 | consumed samples: ..."
Match trainer_step(LogBook& book, const LogLine& line);     ///< "{'loss': 1.1294, ...}", "  6%|▌  | 73/1300 [..."
Match litgpt_step(LogBook& book, const LogLine& line);      ///< "Epoch 1 | iter 4 step 1 | loss train: 3.2, ..."
Match nemo_step(LogBook& book, const LogLine& line);        ///< "Training epoch 0, iteration 4/499 | lr: ..."
Match composer_head(LogBook& book, const LogLine& line);    ///< "[batch=4/4800]:", with lines of values below
Match composer_value(LogBook& book, const LogLine& line);   ///< "	 Train loss/train/total: 3.2"
Match labelled_bar(LogBook& book, const LogLine& line);     ///< "Epoch 0:  30%|███  | 30/100 [00:12<00:28, 2.5it/s]"
Match llmq_record(LogBook& book, const LogLine& line);      ///< "{"log": "step", "step": 4, "duration_ms": 1709, ...}"
Match dcgm_sample(LogBook& book, const LogLine& line);      ///< "DCGM_FI_DEV_GPU_UTIL{gpu="0",...} 93"

/// The record that Hugging Face's Trainer prints when it is done: whatever names the user gives to others, it is that.
bool trainer_summary(std::string_view text);

/// "step 12/90 | loss 3.1 | 57.3 ms": any line with the number of a step, and a loss, a time or a rate as names with
/// numbers. True for such a line. Its shape has been looked for (line_shape.h).
bool fields_step(LogBook& book, const LogLine& line, LogFormat format, double bare_step = scan::kUnknown);
/// The same of a line that nobody has looked at.
bool shaped_step(LogBook& book, const LogLine& line, LogFormat format, double bare_step = scan::kUnknown);
/// A line with the word "step" or "iter" at `at`, of that format by its signs: a known program's behind something that
/// is put before all lines, or one of any form. True for such a line.
bool fields_line(LogBook& book, const LogLine& line, std::size_t at, LogFormat format);

/// A held-out loss in a line of any form, beside the lines of a known program that tell none. True for such a line.
bool held_out_beside(LogBook& book, const LogLine& line);

/// A line with the word "epoch" and none of steps.
void epoch_line(LogBook& book, const LogLine& line, LogFormat format);
/// A line with a rate of tokens that tells neither step nor loss.
void generation_line(LogBook& book, const LogLine& line);
/// The log, or W&B's summary of a run, is over.
void wandb_end(LogBook& book, const LogLine& line);

/// "250 train 3.21" and "250 val 3.30", all of the line.
Match numbers_step(LogBook& book, const LogLine& line);

/// A number of a benchmark's file of results.
void benchmark_value(LogBook& book, const LogLine& line, std::string_view key, double value);
/// A row below the head of `nvidia-smi dmon`.
Match dmon_row(LogBook& book, const LogLine& line);

/// A sentence of a preamble, or of something worth a line: `rest` is what follows the words it was found by.
using LogSentence = void(LogBook& book, const LogLine& line, std::string_view rest);

LogSentence nanochat_parameters, nanochat_batch, nanochat_device_tokens, nanochat_micro_tokens, nanochat_gpu,
    nanochat_memory, nanochat_time;
LogSentence nanogpt_tokens, nanogpt_parameters;
LogSentence torchtitan_trainer, torchtitan_tokens, torchtitan_gpu, torchtitan_parameters, torchtitan_mesh,
    torchtitan_degrees, torchtitan_done;
LogSentence megatron_arguments, megatron_memory, megatron_memory_gb, megatron_validation, megatron_done, megatron_world;
LogSentence trainer_starts, trainer_examples, trainer_epochs, trainer_device_batch, trainer_batch, trainer_accumulation,
    trainer_steps, trainer_goes_on, trainer_trainable, trainer_gpus, trainer_record, trainer_mean_loss,
    trainer_eval_loss, peft_parameters, lightning_processes, litgpt_memory, litgpt_time;
LogSentence vllm_starts, vllm_cache_memory, vllm_cache_rest, vllm_cache_tokens, vllm_rates, vllm_prompts,
    vllm_benchmark, vllm_benchmark_throughput, serving_benchmark, benchmark_first_token, benchmark_per_token,
    generation_done;
LogSentence loggable_bar;
LogSentence sglang_rate, sglang_cache, sglang_tokens;
LogSentence step_word, epoch_word, loss_word, rate_word, maxtext_sign, wandb_line, dmon_head, deepspeed_passes,
    litgpt_final, torchtune_memory, deepspeed_sign, modded_sign, llmc_sign, llmq_sign, deepspeed_loss,
    deepspeed_overflow, deepspeed_batch, llmc_validation, nanogpt_memory, nvidia_smi_gpu;
LogSentence not_finite, checkpoint_line, resume_line;

}  // namespace gpuplan
