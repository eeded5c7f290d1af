// Single lines of programs whose lines of steps are read by their names: Unsloth's notebooks, mlx-lm (mlx_lm/lora.py),
// DeepSpeed-Chat (dschat/utils/perf.py, training/step1_supervised_finetuning/main.py), llama.cpp
// (tools/llama-bench/llama-bench.cpp, src/llama-context.cpp) and llm.c (train_gpt2.cu, train_gpt2.py).
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

std::string_view text_before(const LogLine& line, std::string_view rest, std::size_t words) {
  return line.text.substr(0, line.text.size() - rest.size() - words);
}

std::optional<double> last_number(std::string_view text) {
  text = trim(text);
  const std::size_t begin = text.find_last_not_of("0123456789.");
  return scan::number(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

std::optional<double> amount_behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::nullopt : scan::amount(text.substr(at + words.size()));
}

}  // namespace

/// "Peak reserved memory = 6.744 GB.": torch.cuda.max_memory_reserved() / 1024^3
void unsloth_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (scan::take_next(rest, value) && scan::take(rest, " GB")) book.memory(LoggedMemory::kReserved, value * units::GiB);
}

/// "291.4821 seconds used for training.": Trainer's run time, behind the table of its steps.
void unsloth_time(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWords = std::string_view(" seconds used for training").size();
  const auto seconds = last_number(text_before(line, rest, kWords));
  if (!seconds || !(*seconds > 0)) return;
  book.log.run_time = Seconds{*seconds};
  book.ends(line);
  if (const auto format = book.step_format(); format && book.step() > 0) {
    StepRecord mean;
    mean.step = book.step();
    mean.of_run = true;
    mean.set(StepValue::kStepSeconds, *seconds / book.step());
    book.record(*format, mean, line, TimeSource::kMean);
  }
}

/// "  train_runtime            = 0:15:12.30" of Trainer's "***** train metrics *****"
void trainer_run_time(LogBook& book, const LogLine&, std::string_view rest) {
  constexpr double kDay = 86400, kHour = 3600, kMinute = 60;
  scan::skip_spaces(rest);
  if (book.log.run_time || !scan::take(rest, "= ")) return;
  double days = 0, hours = 0, minutes = 0, seconds = 0;
  std::string_view of_day = rest;
  if (scan::take_next(of_day, days) && (scan::take(of_day, " day, ") || scan::take(of_day, " days, "))) rest = of_day;
  else days = 0;
  if (scan::take_next(rest, hours) && scan::take(rest, ":") && scan::take_number(rest, minutes) &&
      scan::take(rest, ":") && scan::take_number(rest, seconds))
    book.log.run_time = Seconds{days * kDay + hours * kHour + minutes * kMinute + seconds};
}

/// "  train_steps_per_second   =      0.513", below the run time: all steps, where the log has none of them.
void trainer_step_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  double rate = 0;
  scan::skip_spaces(rest);
  if (!scan::take(rest, "=") || !scan::take_next(rest, rate) || !(rate > 0) || !book.log.run_time || book.step() > 0)
    return;
  constexpr double kRounding = 0.0005;  // three decimals are printed
  const double run = book.log.run_time->value;
  StepRecord mean;
  mean.of_run = true;
  if (run * kRounding < 0.5) mean.step = std::round(run * rate);
  mean.set(StepValue::kStepSeconds, mean.step > 0 ? run / mean.step : 1 / rate);
  book.record(LogFormat::kTrainerOutput, mean, line, TimeSource::kMean);
}

/// "Generation: 100 tokens, 41.233 tokens-per-sec" of mlx-lm; "Prompt: " is what was read.
void mlx_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWords = std::string_view(" tokens-per-sec").size();
  if (!line.text.starts_with("Generation: ")) return;
  if (const auto rate = last_number(text_before(line, rest, kWords))) book.generates(*rate, LogFormat::kFields, line);
}

/// "Peak memory: 4.212 GB": mx.get_peak_memory() / 1e9
void mlx_memory(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr Bytes kGigabyte{1e9};
  double value = 0;
  if (line.text.starts_with("Peak memory: ") && scan::take_next(rest, value) && trim(rest) == "GB")
    book.memory(LoggedMemory::kAllocated, value * kGigabyte);
}

/// "Average tokens/sec: 162.30" (gpt-fast's generate.py), below the rates of single answers
void generation_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  double rate = 0;
  if (line.text.starts_with("Average tokens/sec: ") && scan::take_number(rest, rate))
    book.generates(rate, LogFormat::kFields, line);
}

/// "1epoch:train:381-400batch: iter_time=1.2e-04, ..., loss=61.3, ..., optim0_lr0=1.2e-05, train_time=0.512" of
/// ESPnet (espnet2/train/reporter.py): means of these batches, the time in seconds.
void espnet_line(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = text_before(line, rest, std::string_view("epoch:train:").size());
  const auto epoch = last_number(before);
  double from = 0;
  StepRecord record;
  if (!epoch || !scan::take_number(rest, from) || !scan::take(rest, "-") || !scan::take_number(rest, record.step) ||
      !scan::take(rest, "batch: "))
    return;
  record.epoch = *epoch;
  record.of_epoch = true;
  for (const auto& [name, quantity] : {std::pair{std::string_view(" loss="), StepValue::kLoss},
                                       {" grad_norm=", StepValue::kGradNorm},
                                       {" optim0_lr0=", StepValue::kLearningRate},
                                       {" train_time=", StepValue::kStepSeconds}})
    if (const auto value = amount_behind(rest, name)) record.set(quantity, *value);
  if (record.has(StepValue::kLoss)) book.record(LogFormat::kFields, record, line);
}

/// "Starting training..., iters: 1000" of mlx-lm
void mlx_steps(LogBook& book, const LogLine&, std::string_view rest) {
  if (const auto steps = scan::number(rest); steps && *steps > 0) book.log.planned_steps = steps;
}

/// "Model Parameters: 6.738 B, Latency: 2.51s, TFLOPs: 104.12, Samples/sec: 25.49, Time/seq 0.04s, Batch Size: 64,
/// Sequence Length: 512": of the step in the line before it.
void deepspeed_chat_speed(LogBook& book, const LogLine& line, std::string_view) {
  const auto seconds = amount_behind(line.text, "Latency: "), rate = amount_behind(line.text, "Samples/sec: ");
  const auto format = book.step_format();
  if (!seconds || !(*seconds > 0) || !format) return;
  if (const auto batch = amount_behind(line.text, "Batch Size: "); batch && *batch > 0)
    book.log.sequences_per_step = batch;
  if (const auto length = amount_behind(line.text, "Sequence Length: "); length && *length > 0)
    book.log.sequence_length = length;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kStepSeconds, *seconds);
  if (rate && *rate > 0) record.set(StepValue::kSequences, *rate);
  if (const auto flops = amount_behind(line.text, "TFLOPs: ")) record.set(StepValue::kModelFlops, *flops * 1e12);
  book.record(*format, record, line, TimeSource::kMean);  // of a pass, of which a step may have several: clocks tell
}

/// "ppl: 6.123, loss: 1.812", after an epoch
void deepspeed_chat_evaluation(LogBook& book, const LogLine& line, std::string_view rest) {
  const auto format = book.step_format();
  const auto loss = amount_behind(rest, ", loss: ");
  if (!line.text.starts_with("ppl: ") || !loss || !format) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, *loss);
  book.record(*format, record, line);
}

/// "llama_perf_context_print:        eval time =    2011.22 ms /   255 runs   (    7.89 ms per token,   126.79 tokens
/// per second)"; that of the prompt has "tokens" where this one has "runs".
void llama_cpp_time(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.contains(" eval time =") || line.text.contains("prompt eval time")) return;
  constexpr std::size_t kWords = std::string_view(" tokens per second)").size();
  if (const auto rate = last_number(text_before(line, rest, kWords))) book.generates(*rate, LogFormat::kLlamaCpp, line);
}

/// "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 131.42 ± 0.44 |" of llama-bench: rows of generation.
void llama_bench_row(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::size_t kWords = std::string_view(" ± ").size();
  const std::string_view row = text_before(line, rest, kWords);
  const std::size_t value = row.rfind('|');
  if (value == std::string_view::npos || value == 0 || !line.text.starts_with('|')) return;
  const std::size_t test = row.rfind('|', value - 1);
  if (test == std::string_view::npos) return;
  const std::string_view name = trim(row.substr(test + 1, value - test - 1));
  if (name.size() < 3 || !is_digit(name[2]) || !(name.starts_with("tg") || name.starts_with("pp"))) return;
  book.shows(LogFormat::kLlamaCpp);
  if (!name.starts_with("tg")) return;
  if (const auto rate = scan::number(trim(row.substr(value + 1)))) book.generates(*rate, LogFormat::kLlamaCpp, line);
}

/// "eval rate:            51.70 tokens/s" of `ollama run --verbose`, which has llama.cpp's engine; "prompt eval rate"
/// is that of reading.
void ollama_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  scan::skip_spaces(rest);
  if (!line.text.starts_with("eval rate: ") || !rest.contains("tokens/s")) return;
  if (const auto rate = scan::number(rest)) book.generates(*rate, LogFormat::kLlamaCpp, line);
}

/// " eval_ppl=tensor(2.6, device='cuda:0') eval_epoch_loss=tensor(0.9512, device='cuda:0')"
void llama_cookbook_evaluation(LogBook& book, const LogLine& line, std::string_view rest) {
  const auto format = book.step_format();
  double loss = 0;
  if (!format || !scan::take_number(rest, loss)) return;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, loss);
  book.record(*format, record, line);
}

/// "peak memory consumption: 31000 MiB": torch.cuda.max_memory_allocated()
void llmc_peak(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (scan::take_next(rest, value) && scan::take(rest, " MiB"))
    book.memory(LoggedMemory::kAllocated, value * units::MiB);
}

/// "device memory usage: 39123 MiB / 81050 MiB"
void llmc_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (scan::take_next(rest, value) && scan::take(rest, " MiB")) book.memory(LoggedMemory::kDevice, value * units::MiB);
}

}  // namespace gpuplan
