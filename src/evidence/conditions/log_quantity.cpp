#include "evidence/conditions/log_quantity.h"

#include <algorithm>
#include <utility>

namespace gpuplan {
namespace {

LogValue missing(std::string_view what) { return {.missing = std::string(what)}; }

LogValue or_missing(LogValue value, std::string_view what) { return value.known() ? std::move(value) : missing(what); }

/// The end of what should stay where it is: the median after the warm-up.
LogValue steady(Points points, std::string_view what) {
  LogValue value;
  value.end = median_of(after_warm_up(points));
  if (!value.end && !points.empty()) value.end = points.back().value;
  value.points = std::move(points);
  return or_missing(std::move(value), what);
}

template <Series RunLog::* kSeries>
LogValue series_at_end(const LogView& view, std::string_view what) {
  return or_missing(value_of(view.log.*kSeries), what);
}

LogValue loss(const LogView& view) { return series_at_end<&RunLog::loss>(view, "no loss in the log"); }

LogValue grad_norm(const LogView& view) {
  return steady(points_of(view.log.grad_norm),
                "no gradient norm in the log; a metric named grad_norm reads one of another form");
}

LogValue learning_rate(const LogView& view) {
  return series_at_end<&RunLog::learning_rate>(view, "no learning rate in the log");
}

/// Each evaluation is a mean of many batches: the last one counts.
LogValue validation(const LogView& view) {
  LogValue value = series_at_end<&RunLog::validation>(view, "no validation loss or bpb in the log");
  if (value.end) value.end = view.log.validation.last().value;
  return value;
}

LogValue throughput(const LogView& view) {
  return steady(throughput_points(view), "neither tokens/s nor step times in the log");
}

LogValue step_time(const LogView& view) { return steady(step_points(view), "no step times in the log"); }

LogValue gpu_busy(const LogView& view) {
  return steady(points_of(view.log.gpu_busy), "no lines of nvidia-smi or DCGM in the log");
}

LogValue memory(const LogView& view) {
  const auto peak = peak_memory(view.log);
  if (!peak) return missing("no peak of GPU memory in the log");
  return {.end = peak->value};
}

/// nanochat and nanoGPT, and what begins at step 0: the step of a line is the number of those done before it.
bool starts_at_zero(const RunLog& log) {
  if (!log.formats.empty() &&
      (log.formats.front() == LogFormat::kNanochat || log.formats.front() == LogFormat::kNanogpt))
    return true;
  return (!log.loss.empty() && log.loss.first().step == 0) ||
         (!log.step_seconds.empty() && log.step_seconds.first().step == 0);
}

LogValue steps(const LogView& view) {
  if (!view.log.last_step) return missing("no steps in the log");
  return {.end = *view.log.last_step + (starts_at_zero(view.log) ? 1 : 0)};
}

LogValue kv_cache(const LogView& view) {
  if (!view.log.kv_cache) return missing("no size of a KV cache in the log");
  return {.end = view.log.kv_cache->value};
}

constexpr std::array<LogQuantity, kLogQuantities> kQuantities = {{
    {"loss", Dimension::kPlain, false, "training loss", loss},
    {"validation_loss", Dimension::kPlain, false, "loss on held-out data", validation},
    {"val_bpb", Dimension::kPlain, false, "the same in bits a byte", validation},
    {"grad_norm", Dimension::kPlain, true, "norm of the gradient", grad_norm},
    {"learning_rate", Dimension::kPlain, false, "learning rate", learning_rate},
    {"throughput", Dimension::kTokenRate, true, "tokens/s, all GPUs", throughput},
    {"step_time", Dimension::kTime, true, "time of an optimizer step", step_time},
    {"memory", Dimension::kBytes, false, "peak of the fullest GPU", memory},
    {"gpu_busy", Dimension::kPlain, true, "share of time in which the GPUs work", gpu_busy},
    {"kv_cache", Dimension::kBytes, false, "room that vLLM has for its KV cache", kv_cache},
    {"steps", Dimension::kPlain, false, "steps done", steps},
}};

}  // namespace

const std::array<LogQuantity, kLogQuantities>& log_quantities() { return kQuantities; }

const LogQuantity* log_quantity(std::string_view name) {
  const auto found = std::ranges::find(kQuantities, name, &LogQuantity::name);
  return found == kQuantities.end() ? nullptr : &*found;
}

LogValue value_of(const Series& series) {
  LogValue value;
  if (series.empty()) return value;
  value.points = points_of(series);
  value.end = end_of(value.points);
  value.least = series.least();
  value.most = series.most();
  return value;
}

Points throughput_points(const LogView& view) {
  const RunLog& log = view.log;
  if (!log.tokens_per_second.empty()) return points_of(log.tokens_per_second);
  if (!log.output_tokens_per_second.empty()) return points_of(log.output_tokens_per_second);
  const double gpus = log.processes.value_or(view.gpus);
  if (!log.tokens_per_second_per_gpu.empty() && gpus > 0) {
    Points points = points_of(log.tokens_per_second_per_gpu);
    for (Series::Point& point : points) point.value *= gpus;
    return points;
  }
  const double tokens = log.tokens_per_step.value_or(view.tokens_per_step);
  if (log.step_seconds.empty() || tokens <= 0) return {};
  Points points = points_of(log.step_seconds);
  std::erase_if(points, [](const Series::Point& point) { return !(point.value > 0); });
  for (Series::Point& point : points) point.value = tokens / point.value;
  return points;
}

Points step_points(const LogView& view) {
  if (!view.log.step_seconds.empty()) return points_of(view.log.step_seconds);
  const double tokens = view.log.tokens_per_step.value_or(view.tokens_per_step);
  if (tokens <= 0) return {};
  Points points = throughput_points(view);
  std::erase_if(points, [](const Series::Point& point) { return !(point.value > 0); });
  for (Series::Point& point : points) point.value = tokens / point.value;
  return points;
}

std::optional<Bytes> peak_memory(const RunLog& log) {
  for (const LoggedMemory kind : {LoggedMemory::kDevice, LoggedMemory::kReserved, LoggedMemory::kAllocated})
    if (const auto& peak = log.peak_memory[static_cast<std::size_t>(kind)]) return peak;
  return std::nullopt;
}

}  // namespace gpuplan
