// Reading the logs in tests/logs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/logs/reader.h"

namespace gpuplan {

inline std::string log_bytes(const std::string& name) {
  std::ifstream in(std::string(GPUPLAN_SOURCE_DIR "/tests/logs/") + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Reads a text in pieces of `piece` bytes.
inline RunLog read_text(std::string_view text, const std::vector<LogMetric>& metrics = {},
                        std::size_t piece = std::string_view::npos) {
  Result<LogReader> reader = LogReader::make(metrics);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return {};
  }
  while (!text.empty()) {
    const std::size_t size = std::min(piece, text.size());
    reader->feed(text.substr(0, size));
    text.remove_prefix(size);
  }
  Result<RunLog> log = reader->finish();
  if (log) return std::move(*log);
  ADD_FAILURE() << log.error().message;
  return {};
}

inline RunLog read_log(const std::string& name, const std::vector<LogMetric>& metrics = {}) {
  return read_text(log_bytes(name), metrics);
}

inline Bytes peak(const RunLog& log, LoggedMemory kind) {
  return log.peak_memory[static_cast<std::size_t>(kind)].value_or(Bytes{});
}

/// "kind line step text" of every event.
inline std::vector<std::string> event_texts(const RunLog& log) {
  std::vector<std::string> texts;
  for (const LogEvent& event : log.events) {
    constexpr std::string_view kKinds[] = {"oom", "nan", "error", "restart", "checkpoint"};
    texts.push_back(std::string(kKinds[static_cast<std::size_t>(event.kind)]) + ' ' + std::to_string(event.line) +
                    ": " + event.text);
  }
  return texts;
}

}  // namespace gpuplan
