// All that a log said, as text, to compare two readings of it.
#pragma once

#include <string>

#include "base/text.h"
#include "evidence/log/run_log.h"

inline std::string log_text(const gpuplan::RunLog& log) {
  using namespace gpuplan;
  std::string text;
  const auto number = [&](const char* name, double value) {
    text.append(name).append("=").append(number_text(value)).append(" ");
  };
  const auto amount = [&](const char* name, const auto& value) {
    if (!value) return;
    if constexpr (requires { value->value; }) number(name, value->value);
    else number(name, *value);
  };
  const auto series = [&](const char* name, const Series& values) {
    text.append("\n").append(name).append(" ");
    number("count", static_cast<double>(values.count()));
    number("least", values.least());
    number("most", values.most());
    for (const Series::Point& point : {values.first(), values.last()}) {
      number("step", point.step);
      number("value", point.value);
      number("line", point.line);
    }
    double sum = 0;
    for (const Series::Point& point : values.points()) sum += point.line;
    number("lines", sum);
    if (values.points().size() > Series::kMost) __builtin_trap();
  };
  for (const LogFormat format : log.formats) text.append(name_of(format)).append(" ");
  number("bytes", static_cast<double>(log.bytes));
  number("lines", static_cast<double>(log.lines));
  number("long_lines", static_cast<double>(log.long_lines));
  number("cut_off", log.cut_off ? 1 : 0);
  number("finished", log.finished ? 1 : 0);
  series("loss", log.loss);
  series("grad_norm", log.grad_norm);
  series("learning_rate", log.learning_rate);
  series("validation", log.validation);
  series("step_seconds", log.step_seconds);
  series("tokens", log.tokens_per_second);
  series("tokens_per_gpu", log.tokens_per_second_per_gpu);
  series("sequences", log.sequences_per_second);
  series("flops", log.model_flops);
  series("output_tokens", log.output_tokens_per_second);
  series("busy", log.gpu_busy);
  text += '\n';
  for (const GpuUse& gpu : log.gpus) {
    text.append(gpu.gpu).append(" ");
    number("busy", gpu.busy);
    number("memory", gpu.memory.value);
  }
  for (const auto& memory : log.peak_memory) amount("memory", memory);
  amount("kv_cache", log.kv_cache);
  amount("kv_cache_tokens", log.kv_cache_tokens);
  amount("planned_steps", log.planned_steps);
  amount("tokens_per_step", log.tokens_per_step);
  amount("sequences_per_step", log.sequences_per_step);
  amount("sequence_length", log.sequence_length);
  amount("processes", log.processes);
  amount("parameters", log.parameters);
  amount("trainable", log.trainable_parameters);
  amount("run_time", log.run_time);
  amount("elapsed", log.elapsed);
  amount("last_step", log.last_step);
  amount("epoch", log.epoch);
  for (const FormatLines& lines : log.format_lines) {
    number("records", static_cast<double>(lines.records));
    number("first", lines.first.line);
    number("last", lines.last.line);
  }
  text += log.gpu;
  for (const LogColumn& column : log.columns) {
    text += '\n' + column.name + ' ';
    number("count", static_cast<double>(column.count));
    number("first", column.first);
    number("last", column.last);
    number("line", column.at.line);
  }
  for (const auto& [name, values] : log.metrics) series(name.c_str(), values);
  for (const LogEvent& event : log.events) {
    text += '\n' + event.text + ' ';
    number("kind", static_cast<double>(event.kind));
    number("line", event.line);
    number("step", event.step);
    // What is printed must not move a terminal's cursor, nor grow.
    if (printable(event.text, 300) != event.text || event.text.size() > 210) __builtin_trap();
  }
  return text;
}
