// Rows of tables that benchmarks of servers print, whatever stands between the name and its number: LMDeploy
// (lmdeploy/profiler.py), LLMPerf (token_benchmark_ray.py).
#include "base/text.h"
#include "input/logs/fields/fields.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

/// What stands in brackets, colons and lines of a table, before the first number.
bool take_cell(std::string_view& rest, double& value) {
  while (!rest.empty() && !is_digit(rest.front())) {
    if (is_letter(rest.front()) && !rest.starts_with("mean")) return false;
    rest.remove_prefix(rest.starts_with("mean") ? 4 : 1);
  }
  return scan::take_count(rest, value);
}

}  // namespace

/// "Output throughput (tok/s)      4346.980", "Overall Output Throughput: 812.35": tokens where no unit says another.
void benchmark_rate(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  if (before.find_first_of("0123456789{") != std::string_view::npos || !book.log.loss.empty()) return;
  std::string_view unit = rest;
  scan::skip_spaces(unit);
  if (scan::take(unit, "(")) {
    const std::size_t close = unit.find(')');
    const auto measure = field_measure(unit.substr(0, close));
    if (close == std::string_view::npos || !measure || measure->unit != FieldUnit::kTokens) return;
    rest = unit.substr(close + 1);
  }
  double value = 0;
  if (!take_cell(rest, value)) return;
  book.benchmarks_server();  // what a bar before it counted were requests
  book.generates(value, LogFormat::kFields, line);
}

/// "Time to First Token (TTFT)     0.812    0.402", "Time per Output Token (TPOT)     0.041": seconds
void benchmark_latency(LogBook& book, const LogLine& line, std::string_view rest) {
  const std::string_view before = line.text.substr(0, line.text.size() - rest.size());
  std::string_view name = before;
  while (!name.empty() && !is_letter(name.front())) name.remove_prefix(1);
  double value = 0;
  constexpr double kMostSeconds = 60;
  if (!name.starts_with("Time ") || !take_cell(rest, value) || !(value < kMostSeconds)) return;
  std::optional<Seconds>& latency = before.ends_with("(TTFT)") ? book.log.first_token : book.log.per_token;
  latency = Seconds{value};
}

}  // namespace gpuplan
