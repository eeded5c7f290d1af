// One of the user's own runs, as it is kept.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/own/planned_run.h"

namespace gpuplan {

struct OwnRow {
  std::string id;
  std::string date;             ///< when it was kept, UTC: "2026-11-22"; empty: nobody said
  bool use = true;              ///< predictions learn from it
  std::string job, phase, log;  ///< names, for the reader
  Place place{};                ///< of its row
  AnyRun run;
  std::vector<std::string> differs{};  ///< what the log says that the plan does not; told when it is kept, no cell
};

}  // namespace gpuplan
