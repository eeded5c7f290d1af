// Reads a log at once and in pieces of other sizes: both readings must say the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "input/logs/reader.h"
#include "log_text.h"
#include "one_line.h"

inline void read_pieces(std::string_view bytes, std::uint64_t seed, const std::vector<gpuplan::LogMetric>& metrics = {},
                        const gpuplan::LogReading& reading = {}) {
  using namespace gpuplan;
  Result<LogReader> whole = LogReader::make(metrics, reading), pieces = LogReader::make(metrics, reading);
  if (!whole || !pieces) __builtin_trap();
  whole->feed(bytes);
  for (std::string_view rest = bytes; !rest.empty();) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    // Mostly small pieces, as a growing file gives them, and now and then a large one.
    const std::size_t size = std::min<std::size_t>(rest.size(), 1 + (seed >> 33U) % ((seed >> 60U) == 0 ? 4096 : 17));
    pieces->feed(rest.substr(0, size));
    if ((seed >> 58U) == 0) pieces->log();
    rest.remove_prefix(size);
  }
  const Result<RunLog> a = whole->finish(), b = pieces->finish();
  if (a.has_value() != b.has_value()) __builtin_trap();
  if (!a) check_error(a.error());
  else if (log_text(*a) != log_text(*b)) __builtin_trap();
}
