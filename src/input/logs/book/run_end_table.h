// data/run_ends.csv: how schedulers, launchers, shells, NCCL and engines say in a log that a run broke off.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "evidence/log/run_log.h"

namespace gpuplan {

struct RunEnd {
  enum class Where { kAnywhere, kStart, kWhole };
  std::string id;
  std::string words;  ///< four bytes or more
  Where where = Where::kAnywhere;
  std::string also;                 ///< must stand in the line too; empty: nothing
  std::vector<std::string> unless;  ///< what must not: it would be of something else than the run
  LogEvent::Kind kind = LogEvent::Kind::kError;
  bool stopped = false;  ///< to be started again
  std::string example;

  /// Whether the line says so. `at`: where in it the words stand.
  bool matches(std::string_view line, std::size_t at) const;
};
template <>
struct Names<RunEnd::Where> {
  static constexpr std::array entries = {
      Named<RunEnd::Where>{RunEnd::Where::kAnywhere, "anywhere"},
      Named<RunEnd::Where>{RunEnd::Where::kStart, "start"},
      Named<RunEnd::Where>{RunEnd::Where::kWhole, "whole"},
  };
};

Result<std::vector<RunEnd>> read_run_ends(std::string_view text, std::string_view file);

/// Those compiled in. The first that a line matches says what it is.
std::span<const RunEnd> run_ends();

}  // namespace gpuplan
