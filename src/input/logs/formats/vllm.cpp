// vLLM and SGLang: what they say of their cache when they start, the speeds they log every few seconds, and their own
// benchmarks.
#include "base/text.h"
#include "base/whole.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

void add_rate(LogBook& book, const LogLine& line, double rate) {
  book.log.output_tokens_per_second.add(scan::kUnknown, rate, line.number);
  book.works(line);
  book.shows(LogFormat::kVllm);
}

constexpr double kMostEngines = 1024;

/// "INFO 12-18 09:40:07 [loggers.py:127] ": seconds of the day, kUnknown when there is no time.
double time_of_day(std::string_view text) {
  const auto two = [&](std::size_t at) {
    return is_digit(text[at]) && is_digit(text[at + 1]) ? 10 * (text[at] - '0') + text[at + 1] - '0' : -1;
  };
  constexpr std::size_t kLength = std::string_view("09:40:07").size();
  for (std::size_t i = 0; i + kLength <= text.size(); ++i) {
    if (text[i + 2] != ':' || text[i + 5] != ':') continue;
    const int hours = two(i), minutes = two(i + 3), seconds = two(i + 6);
    if (hours >= 0 && minutes >= 0 && seconds >= 0) return 3600.0 * hours + 60.0 * minutes + seconds;
  }
  return scan::kUnknown;
}

}  // namespace

/// "Resolved architecture: Qwen3ForCausalLM" (vllm/config/model.py): it started, whatever came of it.
void vllm_starts(LogBook& book, const LogLine&, std::string_view) { book.shows(LogFormat::kVllm); }

/// "Available KV cache memory: 9.62 GiB"
void vllm_cache_memory(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (!scan::take_next(rest, value) || !scan::take(rest, " GiB")) return;
  book.log.kv_cache = value * units::GiB;
  book.shows(LogFormat::kVllm);
}

/// "...; the rest of the memory reserved for KV Cache is 54.79GiB." of versions before 1
void vllm_cache_rest(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (!scan::take_next(rest, value) || !scan::take(rest, "GiB")) return;
  book.log.kv_cache = value * units::GiB;
  book.shows(LogFormat::kVllm);
}

/// "GPU KV cache size: 78,800 tokens"
void vllm_cache_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  scan::skip_spaces(rest);
  if (!scan::take_count(rest, value) || !scan::take(rest, " tokens")) return;
  book.log.kv_cache_tokens = value;
  book.shows(LogFormat::kVllm);
}

/// "Engine 000: Avg prompt throughput: 5.0 tokens/s, Avg generation throughput: 104.5 tokens/s, Running: 2 reqs, ..."
void vllm_rates(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  double value = 0;
  if (!scan::take_next(rest, value) || !scan::take(rest, " tokens/s")) return;
  constexpr std::string_view kEngine = "Engine ";
  const std::size_t at = before.find(kEngine);
  const auto engine = at == std::string_view::npos ? std::nullopt : scan::number(before.substr(at + kEngine.size()));
  if (engine && *engine >= 0 && *engine < kMostEngines) {
    if (value > 0) book.shows(LogFormat::kVllm);
    book.engine_rate(whole<int>(*engine), value, time_of_day(before), line);
  } else if (value > 0) {
    add_rate(book, line, value);  // while nothing runs it logs zeros
  }
}

/// "Processed prompts: 50%|... [00:12<00:12, 8.1it/s, est. speed input: 8000.21 toks/s, output: 2100.35 toks/s]", the
/// bar of LLM.generate (vllm/entrypoints/llm.py): the mean since its start.
void vllm_prompts(LogBook& book, const LogLine& line, std::string_view rest) {
  std::string_view bar = line.text.substr(0, line.text.size() - rest.size());
  double done = 0, total = 0;
  if (scan::take_until(bar, '|') && scan::take_until(bar, '|') && scan::take_next(bar, done) && scan::take(bar, "/") &&
      scan::take_next(bar, total) && done >= 0 && done <= total)
    book.prompts(done, total);
  constexpr std::string_view kOutput = "output: ";
  const std::size_t at = rest.find(kOutput);
  if (at == std::string_view::npos) return;
  if (const auto rate = scan::number(rest.substr(at + kOutput.size())); rate && *rate > 0) add_rate(book, line, *rate);
}

namespace {

/// Blanks, and the side of a table's cell (GenAI-Perf).
void skip_to_value(std::string_view& rest) {
  scan::skip_spaces(rest);
  if (scan::take(rest, "\u2502")) scan::skip_spaces(rest);
}

}  // namespace

/// "Output token throughput (tok/s):         2195.23" of `vllm bench serve`
void vllm_benchmark(LogBook& book, const LogLine& line, std::string_view rest) {
  double value = 0;
  skip_to_value(rest);
  if (!scan::take_count(rest, value)) return;
  add_rate(book, line, value);
  book.log.generated = true;
}

/// What the files of `vllm bench serve` and SGLang's bench_serving have under these keys.
void benchmark_value(LogBook& book, const LogLine& line, std::string_view key, double value) {
  if (!(value > 0)) return;
  if (key == "output_throughput") {
    add_rate(book, line, value);
    book.log.generated = book.log.benchmark = true;
  } else if (key == "mean_ttft_ms") {
    book.log.first_token = value * units::millisecond;
  } else if (key == "mean_tpot_ms") {
    book.log.per_token = value * units::millisecond;
  }
}

namespace {

void latency(std::optional<Seconds>& of, std::string_view rest) {
  double value = 0;
  skip_to_value(rest);
  if (scan::take_count(rest, value) && value >= 0) of = value * units::millisecond;
}

}  // namespace

/// "Mean TTFT (ms):                          320.50" of `vllm bench serve`
void benchmark_first_token(LogBook& book, const LogLine&, std::string_view rest) {
  latency(book.log.first_token, rest);
}

/// "Mean TPOT (ms):                          16.31"
void benchmark_per_token(LogBook& book, const LogLine&, std::string_view rest) { latency(book.log.per_token, rest); }

/// "============ Serving Benchmark Result ============" and what comes before it: of `vllm bench serve`, of SGLang's
/// bench_serving and TensorRT-LLM's benchmark_serving, which have it from vLLM.
void serving_benchmark(LogBook& book, const LogLine&, std::string_view) { book.benchmarks_server(); }

/// "Throughput: 17.53 requests/s, 8028.66 total tokens/s, 3992.14 output tokens/s" of `vllm bench throughput`: what
/// stands before "output tokens/s".
void vllm_benchmark_throughput(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  const std::size_t end = before.rfind(" output tokens/s");
  const std::size_t comma = before.rfind(',', end);
  if (end == std::string_view::npos || comma == std::string_view::npos) return;
  const auto value = scan::number(before.substr(comma + 1));
  if (!value) return;
  add_rate(book, line, *value);
  book.log.generated = true;
}

/// "[2026-03-01 10:02:00 DP1 TP0] Decode batch, #running-req: 64, ..., gen throughput (token/s): 3020.5, #queue-req: 0"
/// (python/sglang/srt/managers/scheduler_metrics_mixin.py), of each data-parallel replica
void sglang_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  double value = 0;
  if (before.find("Decode batch") == std::string_view::npos || !scan::take_next(rest, value)) return;
  const std::size_t mark = before.substr(0, before.find(']')).find(" DP");
  const auto replica = mark == std::string_view::npos ? std::nullopt : scan::number(before.substr(mark + 3));
  if (value > 0) book.shows(LogFormat::kSglang);
  if (replica && *replica >= 0 && *replica < kMostEngines) {
    book.engine_rate(whole<int>(*replica), value, time_of_day(before), line);
  } else if (value > 0) {
    book.log.output_tokens_per_second.add(scan::kUnknown, value, line.number);
    book.works(line);
  }
}

/// "KV Cache is allocated. #tokens: 373744, K size: 22.81 GB, V size: 22.81 GB": GiB of one GPU in truth
void sglang_cache(LogBook& book, const LogLine&, std::string_view rest) {
  Bytes size;
  for (const std::string_view words : {"K size: ", "V size: "}) {
    const std::size_t at = rest.find(words);
    if (at == std::string_view::npos) return;
    if (const auto value = scan::number(rest.substr(at + words.size()))) size += *value * units::GiB;
  }
  if (size > Bytes{}) book.log.kv_cache = size;
  book.shows(LogFormat::kSglang);
}

/// "max_total_num_tokens=373744, chunked_prefill_size=8192, ..."
void sglang_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  const auto value = scan::number(rest);
  if (!value || !(*value > 0)) return;
  book.log.kv_cache_tokens = value;
  book.shows(LogFormat::kSglang);
}

/// "all replicas are done": the programs that gpuplan writes say so when every answer is there.
void generation_done(LogBook& book, const LogLine& line, std::string_view) {
  book.log.generated = true;
  book.works(line);
}

}  // namespace gpuplan
