// `gpuplan check LOG` without a job: what a log holds, and which of its lines say so.
#pragma once

#include <string>
#include <vector>

#include "evidence/check/run_check.h"
#include "output/text/style.h"

namespace gpuplan {

/// Refers to parts that must outlive it.
struct LogReport {
  const RunLog& log;
  const RunCheck& check;
  std::vector<std::string> files{};  ///< as messages call them
  bool lines = false;                ///< also which lines were understood, and the numbers of those that were not
};

std::string log_text(const LogReport& report, const Screen& screen);
/// A line for each figure and, where asked for, each format and name.
std::string log_csv(const LogReport& report);
/// "gpuplan/log@1".
std::string log_json(const LogReport& report);

}  // namespace gpuplan
