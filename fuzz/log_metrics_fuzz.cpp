// Any regular expression and any line: what is known of its matches without it must hold for the match that it finds.
// seeds: fuzz/seeds/metric.txt
#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/logs/metrics.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos || end > 200) return 0;
  const std::string_view pattern = input.substr(0, end), text = input.substr(end + 1);
  const Needle needle = needle_of(pattern);
  if (const auto metrics = LogMetrics::make({{"x", std::string(pattern)}}); !metrics) check_error(metrics.error());

  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  const RE2 expression(re2::StringPiece(pattern.data(), pattern.size()), options);
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!expression.ok() || !expression.Match(whole, 0, whole.size(), RE2::UNANCHORED, &match, 1)) return 0;
  const std::string_view found(match.data(), match.size());
  if (needle.first ? !found.starts_with(needle.text) : found.find(needle.text) == std::string_view::npos)
    __builtin_trap();
  return 0;
}
