// data/run_ends.csv: how schedulers, launchers, shells, NCCL and engines say in a log that a run broke off, and which
// tracebacks say nothing of that.
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
  enum class Where { kAnywhere, kStart, kWhole, kName };
  /// It ends a run; or the next traceback ends none; or that one does unless a `kClosing` stands in it (what threads
  /// throw when others go before them); or, as the first frame of a traceback, it tells that this one ends none.
  enum class Role { kEnd, kIgnored, kThread, kClosing, kFrame };
  std::string id;
  std::string words;  ///< four bytes or more
  Where where = Where::kAnywhere;
  Role role = Role::kEnd;
  std::string also;                              ///< must stand in the line too; empty: nothing
  std::vector<std::string> unless;               ///< what must not: it would be of something else than the run
  LogEvent::Kind kind = LogEvent::Kind::kError;  ///< of what ends a run
  bool stopped = false;                          ///< to be started again
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
      Named<RunEnd::Where>{RunEnd::Where::kName, "name"},  // they end the name that the line begins with
  };
};

Result<std::vector<RunEnd>> read_run_ends(std::string_view text, std::string_view file);

/// Those compiled in. The first that a line matches says what it is.
std::span<const RunEnd> run_ends();

/// Whether a row of that role matches the line.
bool is_of(RunEnd::Role role, std::string_view line);

}  // namespace gpuplan
