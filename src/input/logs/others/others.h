// Programs whose lines of steps are told by words inside of them: of reinforcement learning, of research and of
// pictures.
#pragma once

#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

/// "step:1 - actor/pg_loss:-0.02 - timing_s/step:45.3 - ..." and "step:1 - train/loss:2.4 - train/time(s):1.52".
Match verl_step(LogBook& book, const LogLine& line);
/// "  1/100  4.52G  2.47  1.23  1.11  95  640: 100%|███| 1849/1849 [03:21<00:00,  9.19it/s]".
Match ultralytics_step(LogBook& book, const LogLine& line);
/// "  1/100 ━━━━━━━━ 49s 50ms/step - accuracy: 0.6012 - loss: 2.4664", below a line "Epoch 1/3".
Match keras_step(LogBook& book, const LogLine& line);
/// "0         2.900000    2.800000    0.410000  00:40", below the head of fastai's table.
Match fastai_row(LogBook& book, const LogLine& line);

/// "     | > loss: 4.51 (4.61)" (Coqui), "│ loss      2.9 │" and "  loss: 2.9" (Ray), "|    loss     | 5.74 |" (Stable
/// Baselines): a name and its value, of the step that a line before or after them tells.
Match listed_value(LogBook& book, const LogLine& line);
/// "------------------", between the tables of two steps.
Match listing_rule(LogBook& book, const LogLine& line);
/// A line that tells a step and nothing else: what is listed below it is of that step.
void heads_values(LogBook& book, double step, bool of_run);
/// The same of a line that is nothing but the step: "step: 100" and "##### Learning iteration 3/1500 #####". What
/// follows are values of it, each in a line of its own.
void heads_plain_values(LogBook& book, const LogLine& line, const StepRecord& head);
/// "current step time: 3.81": one of these.
bool plain_value(LogBook& book, const LogLine& line);
/// Nothing follows of the last of them.
void plain_end(LogBook& book);
/// "  10 812.50 ms run, 31.20 ms python, 11.00 loss, 62.50 GB used" of tinygrad: names behind their numbers.
Match names_behind_step(LogBook& book, const LogLine& line);
/// "|   128 |    128 |    1 |    256 |    0.108 |  1186.64 |    3.079 |    41.57 | ..." of llama-batched-bench.
Match batched_bench_row(LogBook& book, const LogLine& line);
/// A number of a record of llama-bench.
void llama_bench_value(LogBook& book, const LogLine& line, std::string_view key, double value);

/// What follows the words of a sentence (formats/keywords.cpp); `rest` stands behind them.
void mmengine_line(LogBook& book, const LogLine& line, std::string_view rest);
void timm_line(LogBook& book, const LogLine& line, std::string_view rest);
void open_clip_line(LogBook& book, const LogLine& line, std::string_view rest);
void timm_epochs(LogBook& book, const LogLine& line, std::string_view rest);
void timm_test(LogBook& book, const LogLine& line, std::string_view rest);
void fairseq_line(LogBook& book, const LogLine& line, std::string_view rest);
void fairseq_done(LogBook& book, const LogLine& line, std::string_view rest);
void clu_line(LogBook& book, const LogLine& line, std::string_view rest);
void fastai_head(LogBook& book, const LogLine& line, std::string_view rest);
void levanter_validation(LogBook& book, const LogLine& line, std::string_view rest);
void accelerate_evaluation(LogBook& book, const LogLine& line, std::string_view rest);
void olmo_head(LogBook& book, const LogLine& line, std::string_view rest);
void olmo_value(LogBook& book, const LogLine& line, std::string_view rest);
void olmo_memory(LogBook& book, const LogLine& line, std::string_view rest);
void trainer_run_time(LogBook& book, const LogLine& line, std::string_view rest);
void trainer_step_rate(LogBook& book, const LogLine& line, std::string_view rest);
void unsloth_memory(LogBook& book, const LogLine& line, std::string_view rest);
void unsloth_time(LogBook& book, const LogLine& line, std::string_view rest);
void mlx_rate(LogBook& book, const LogLine& line, std::string_view rest);
void mlx_memory(LogBook& book, const LogLine& line, std::string_view rest);
void generation_rate(LogBook& book, const LogLine& line, std::string_view rest);
void espnet_line(LogBook& book, const LogLine& line, std::string_view rest);
void olmo_peak(LogBook& book, const LogLine& line, std::string_view rest);
void mlx_steps(LogBook& book, const LogLine& line, std::string_view rest);
void deepspeed_chat_speed(LogBook& book, const LogLine& line, std::string_view rest);
void deepspeed_chat_evaluation(LogBook& book, const LogLine& line, std::string_view rest);
void llama_cpp_time(LogBook& book, const LogLine& line, std::string_view rest);
void llama_opt_line(LogBook& book, const LogLine& line, std::string_view rest);
void batched_bench_head(LogBook& book, const LogLine& line, std::string_view rest);
void koboldcpp_rate(LogBook& book, const LogLine& line, std::string_view rest);
void exllama_rate(LogBook& book, const LogLine& line, std::string_view rest);
void mlperf_line(LogBook& book, const LogLine& line, std::string_view rest);
void vllm_latency(LogBook& book, const LogLine& line, std::string_view rest);
void listing_begins(LogBook& book, const LogLine& line, std::string_view rest);
void listing_held_out(LogBook& book, const LogLine& line, std::string_view rest);
void listing_trains(LogBook& book, const LogLine& line, std::string_view rest);
void peak_memory(LogBook& book, const LogLine& line, std::string_view rest);
void llama_bench_row(LogBook& book, const LogLine& line, std::string_view rest);
void benchmark_rate(LogBook& book, const LogLine& line, std::string_view rest);
void benchmark_latency(LogBook& book, const LogLine& line, std::string_view rest);
void ollama_rate(LogBook& book, const LogLine& line, std::string_view rest);
void llama_cookbook_evaluation(LogBook& book, const LogLine& line, std::string_view rest);
void llmc_peak(LogBook& book, const LogLine& line, std::string_view rest);
void llmc_memory(LogBook& book, const LogLine& line, std::string_view rest);
void nemo_rl_head(LogBook& book, const LogLine& line, std::string_view rest);
void easyr1_head(LogBook& book, const LogLine& line, std::string_view rest);
void easyr1_value(LogBook& book, const LogLine& line, std::string_view rest);
void nemo_rl_reward(LogBook& book, const LogLine& line, std::string_view rest);
void nemo_rl_loss(LogBook& book, const LogLine& line, std::string_view rest);
void nemo_rl_time(LogBook& book, const LogLine& line, std::string_view rest);
void lightning_done(LogBook& book, const LogLine& line, std::string_view rest);
void ultralytics_done(LogBook& book, const LogLine& line, std::string_view rest);

}  // namespace gpuplan
