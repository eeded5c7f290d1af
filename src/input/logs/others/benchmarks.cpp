// Programs that measure or train and tell it in their own ways: llama.cpp's (tools/batched-bench/batched-bench.cpp,
// tools/llama-bench/llama-bench.cpp, ggml/src/ggml-opt.cpp) and vLLM's (vllm/benchmarks/latency.py).
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/logs/others/others.h"

namespace gpuplan {
/// "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |"
void batched_bench_head(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.starts_with('|')) return;
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  book.facts.generation_column = static_cast<int>(std::ranges::count(before, '|'));
  book.shows(LogFormat::kLlamaCpp);
}

Match batched_bench_row(LogBook& book, const LogLine& line) {
  if (book.facts.generation_column < 0) return Match::kNo;
  std::string_view rest = line.text;
  for (int cell = 0; cell < book.facts.generation_column; ++cell) {
    const std::size_t bar = rest.find('|');
    if (bar == std::string_view::npos) return Match::kNo;
    rest.remove_prefix(bar + 1);
  }
  double rate = 0;
  if (!scan::take_next(rest, rate) || !trim(rest).starts_with('|')) return Match::kNo;
  book.generates(rate, LogFormat::kLlamaCpp, line);
  return Match::kRecord;
}

/// `{"model_type": "llama 7B Q4_0", ..., "n_prompt": 0, "n_gen": 128, ..., "avg_ts": 131.25, ...}`: tokens a second of
/// reading or of generating.
void llama_bench_value(LogBook& book, const LogLine& line, std::string_view key, double value) {
  if (key == "n_gen") book.facts.bench_generates = value > 0;
  else if (key == "avg_ts" && std::exchange(book.facts.bench_generates, false))
    book.generates(value, LogFormat::kLlamaCpp, line);
}

/// "train: [===>  ] data=0000120/0001000 loss=2.34123±0.01234 acc=45.12±0.21% t=00:01:02 ETA=00:05:03": counts of
/// data, of an epoch.
void llama_opt_line(LogBook& book, const LogLine& line, std::string_view rest) {
  const bool trains = line.text.starts_with("train: ["), held_out = line.text.starts_with("val: [");
  double done = 0, total = 0, loss = 0;
  if ((!trains && !held_out) || !scan::take_number(rest, done) || !scan::take(rest, "/") ||
      !scan::take_number(rest, total) || !scan::take(rest, " loss=") || !scan::take_number(rest, loss) || !(total > 0))
    return;
  StepRecord record;
  record.set(trains ? StepValue::kLoss : StepValue::kValidation, loss);
  if (trains) book.epoch(done / total);
  book.record(LogFormat::kLlamaCpp, record, line);
}

/// "CtxLimit:61/2048, Amt:32/32, Process:0.12s (241.67T/s), Generate:0.52s (61.90T/s), Total:0.64s" of KoboldCpp
/// (koboldcpp.py), which has llama.cpp's engine.
void koboldcpp_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  double seconds = 0, rate = 0;
  if (scan::take_number(rest, seconds) && scan::take(rest, "s (") && scan::take_number(rest, rate) &&
      scan::take(rest, "T/s)"))
    book.generates(rate, LogFormat::kLlamaCpp, line);
}

/// " ** Position     1 + 127 tokens:  162.1234 t/s" of ExLlamaV2's test_inference.py, by the length of what came before
void exllama_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  double rate = 0;
  if (line.text.contains("** Position ") && scan::take_next(rest, rate) && scan::take(rest, " t/s"))
    book.generates(rate, LogFormat::kFields, line);
}

/// `:::MLLOG {"namespace": "", "time_ms": 1715000012500, "event_type": "POINT_IN_TIME", "key": "train_loss", "value":
/// 1.48, "metadata": {"file": ..., "samples_count": 40, "lr": 0.0004}}` (MLPerf's mlperf_logging/mllog): steps follow
/// from the samples and the batch.
void mlperf_line(LogBook& book, const LogLine& line, std::string_view rest) {
  const auto behind = [rest](std::string_view name) {
    const std::size_t at = rest.find(name);
    return at == std::string_view::npos ? std::string_view() : rest.substr(at + name.size());
  };
  const std::string_view key = behind("\"key\": \""), text = behind("\"value\": ");
  const auto is = [key](std::string_view name) {
    return key.starts_with(name) && key.substr(name.size()).starts_with('"');
  };
  const auto value = scan::number(text);
  double& batch = book.facts.mlperf_batch;
  if (is("global_batch_size") && value && *value > 0) {
    batch = *value;
    book.log.sequences_per_step = value;
  }
  if (is("run_stop") && rest.contains("\"status\": \"success\"")) book.ends(line);
  const bool trains = is("train_loss") || is("train_loss_mean");
  const bool held_out = is("eval_loss") || is("validation_loss");  // "eval_accuracy" may be an accuracy or a loss
  const auto samples = scan::number(behind("\"samples_count\": ")), clock = scan::number(behind("\"time_ms\": "));
  if (!value || (!trains && !held_out)) return;
  StepRecord record;
  if (samples && batch > 0) record.step = *samples / batch;
  record.of_run = true;
  record.set(trains ? StepValue::kLoss : StepValue::kValidation, *value);
  if (trains && clock) record.set(StepValue::kClock, *clock / 1e3);
  book.record(LogFormat::kFields, record, line);
}

/// "Profiling iterations: 50%|███ | 15/30 [...]" and "Avg latency: 1.2487 seconds" of `vllm bench latency`: of a batch
/// of which neither says how many tokens it has.
void vllm_latency(LogBook& book, const LogLine& line, std::string_view) {
  book.shows(LogFormat::kVllm);
  book.log.generated = true;
  book.works(line);
}

}  // namespace gpuplan
