// Speed of reading logs, by format, with and without the job's own regular expressions.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "input/logs/reader.h"

namespace {

using namespace gpuplan;

constexpr std::size_t kBytes = std::size_t{8} << 20U, kPiece = std::size_t{256} << 10U;

double loss(int step) { return 2 + 9 / std::sqrt(1.0 + step); }

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return {line, static_cast<std::size_t>(length)};
}

std::string nanochat(int i) {
  return text(
      "step %05d/2000000 (%.2f%%) | loss: %.6f | lrm: 1.00 | dt: %.2fms | tok/sec: 528,%03d | bf16_mfu: %.2f | "
      "epoch: "
      "1 pq: 0 rg: 14 | total time: %.2fm | eta: %.1fm\n",
      i, i / 2e4, loss(i), 990 + i % 7 * 0.37, i % 1000, 40 + i % 9 * 0.1, i / 60.0, i / 3.0);
}
std::string nanogpt(int i) {
  return text("iter %d: loss %.4f, time %.2fms, mfu %.2f%%\n", i, loss(i), 1972 + i % 13 * 0.4, 30.19);
}
std::string torchtitan(int i) {
  return text(
      "[rank0]:[titan] 2025-07-%02d %02d:%02d:%02d,774 - root - INFO - step: %2d  loss: %8.5f  grad_norm: "
      "%7.4f  memory: 66.91GiB(37.51%%)  tps: 10,%03d  tflops: 314.71  mfu: 13.99%%\n",
      1 + i / 86400 % 28, i / 3600 % 24, i / 60 % 60, i % 60, i, loss(i), 1.5 + i % 10 * 0.1, i % 1000);
}
std::string megatron(int i) {
  return text(
      " [2025-08-%02d %02d:%02d:%02d] iteration %8d/ 5000000 | consumed samples: %12d | elapsed time per "
      "iteration (ms): %.1f | throughput per GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size:  "
      " "
      "128 | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations:   0 | number of nan "
      "iterations:   0 |\n",
      1 + i / 86400 % 28, i / 3600 % 24, i / 60 % 60, i % 60, i, i * 128, 1938.8, 380.2, 6.97e-8, loss(i), 1.203);
}
std::string trainer(int i) {
  return text(
      "{'loss': %.4f, 'grad_norm': %.16f, 'learning_rate': %.10e, 'num_tokens': %d.0, 'mean_token_accuracy': "
      "%.4f, 'epoch': %.2f}\n",
      loss(i), 0.713 + i % 10 * 0.001, 2.2e-5, 852192 + i, 0.7088, i / 1e3);
}
std::string bars(int i) {
  return text("\r%3d%%|%-10s| %d/1300000 [%02d:%02d<13:57,  1.47it/s]", i / 13000, "█▌", i, i / 60, i % 60);
}
std::string bars_with_loss(int i) {
  return text("\r%3d%%|%-10s| %d/1300000 [%02d:%02d<13:57,  1.47it/s, loss=%.3g, lr=1e-05]", i / 13000, "█▌", i, i / 60,
              i % 60, loss(i));
}
std::string lightning_bars(int i) {
  return text("\rEpoch 0: %3d%%|%-10s| %d/2000000 [%02d:%02d<13:57,  4.00it/s, v_num=3, train_loss=%.3f]", i / 20000,
              "███", i, i / 60, i % 60, loss(i));
}
std::string key_values(int i) {
  return text(
      "[2025-07-01 10:00:00,774][INFO] step %d/2000000 | train loss: %.4f | grad norm: %.3f | lr: 3.00e-04 | "
      "%.2fms/step | %d tok/s\n",
      i, loss(i), 1.5 + i % 10 * 0.1, 812.5 + i % 7, 10000 + i % 1000);
}
std::string trainer_state(int i) {
  return text(
      "%s    {\n      \"epoch\": %.4f,\n      \"grad_norm\": %.16f,\n      \"learning_rate\": %.10e,\n      "
      "\"loss\": %.4f,\n      \"step\": %d\n    }",
      i == 0 ? "{\n  \"best_metric\": null,\n  \"epoch\": 0.0404,\n  \"log_history\": [\n" : ",\n", i / 1e3,
      1.0528565645217896, 4.8e-6, loss(i), 25 * (i + 1));
}
std::string torchtune(int i) {
  return text(
      "Step %d | loss:%.15f lr:2e-05 tokens_per_second_per_gpu:%.12f peak_memory_active:31.25 "
      "peak_memory_alloc:30.5 peak_memory_reserved:35.125 grad_norm:%.6f\n",
      i, loss(i), 1234.5678, 1.25);
}
std::string lightning(int i) {
  return (i == 0 ? "epoch,step,train_loss,val_loss\n" : "") +
         (i % 10 == 9 ? text("%d,%d,,%.16f\n", i / 100, i, loss(i)) : text("%d,%d,%.16f,\n", i / 100, i, loss(i)));
}
std::string wandb(int i) {
  return (i == 0 ? R"("Step","sunny-1 - train/loss","sunny-1 - train/loss__MIN","sunny-1 - train/loss__MAX")"
                   "\n"
                 : "") +
         text("\"%d\",\"%.16f\",\"%.16f\",\"%.16f\"\n", i, loss(i), loss(i), loss(i));
}
std::string nvidia_smi(int i) {
  return (i == 0
              ? "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
                "temperature.gpu\n"
              : "") +
         text("2026/07/24 %02d:%02d:%02d.345, %d, NVIDIA H100 80GB HBM3, %d %%, %d MiB, 81559 MiB, 613.26 W, 67\n",
              i / 28800 % 24, i / 480 % 60, i / 8 % 60, i % 8, 90 + i % 10, 75000 + i % 100);
}
std::string dcgm(int i) {
  return text("DCGM_FI_DEV_%s{gpu=\"%d\",UUID=\"GPU-3431a2b1-77\",device=\"nvidia0\",Hostname=\"ub20-a100-k8s\"} %d\n",
              i % 2 == 0 ? "GPU_UTIL" : "FB_USED", i % 8, 90 + i % 10);
}
std::string vllm(int i) {
  return text(
      "(EngineCore pid=4711) INFO 12-18 09:44:57 [loggers.py:127] Engine 000: Avg prompt throughput: %.1f tokens/s, "
      "Avg generation throughput: %.1f tokens/s, Running: 2 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.5%%, Prefix "
      "cache hit rate: 0.0%%\n",
      5.0, 104.5 + i % 10);
}
/// What no format knows: the lines of the user's own program.
std::string other(int i) {
  return text("Processed shard %05d of the evaluation set: 512 examples, 1,234 seconds left, best score %.4f\n", i,
              loss(i));
}

struct Case {
  const char* name;
  std::string (*line)(int);
};
constexpr Case kCases[] = {{"nanochat", nanochat},
                           {"nanogpt", nanogpt},
                           {"torchtitan", torchtitan},
                           {"megatron", megatron},
                           {"trainer_output", trainer},
                           {"progress_bars", bars},
                           {"bars_with_loss", bars_with_loss},
                           {"lightning_bars", lightning_bars},
                           {"key_values", key_values},
                           {"trainer_state", trainer_state},
                           {"torchtune", torchtune},
                           {"lightning", lightning},
                           {"wandb", wandb},
                           {"nvidia_smi", nvidia_smi},
                           {"dcgm", dcgm},
                           {"vllm", vllm},
                           {"other_text", other}};

/// Of a job: two of its metrics stand in every line of several formats, two in few.
const std::vector<LogMetric> kMetrics = {{"loss", "loss: +([0-9.]+)"},
                                         {"accuracy", R"(accuracy[^0-9]*([0-9.]+))"},
                                         {"step_0", "step_0: ([0-9.]+)"},
                                         {"score", "best score ([0-9.]+)"}};

void read_log(benchmark::State& state, const Case& one, const std::vector<LogMetric>& metrics) {
  std::string text;
  text.reserve(kBytes + 1024);
  for (int i = 0; text.size() < kBytes; ++i) text += one.line(i);
  for (auto _ : state) {
    Result<LogReader> reader = LogReader::make(metrics);
    for (std::size_t at = 0; at < text.size(); at += kPiece) reader->feed(std::string_view(text).substr(at, kPiece));
    const Result<RunLog> log = reader->finish();
    if (!log || (log->formats.empty() && one.line != other)) state.SkipWithError("not recognised");
    benchmark::DoNotOptimize(log);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

const bool kRegistered = [] {
  for (const Case& one : kCases) {
    benchmark::RegisterBenchmark((std::string("bm_log/") + one.name).c_str(),
                                 [&one](benchmark::State& state) { read_log(state, one, {}); });
    benchmark::RegisterBenchmark((std::string("bm_log_metrics/") + one.name).c_str(),
                                 [&one](benchmark::State& state) { read_log(state, one, kMetrics); });
  }
  return true;
}();

}  // namespace
