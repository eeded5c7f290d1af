// What the program ends with.
#pragma once

namespace gpuplan::cli {

/// Contract of the command line.
enum ExitCode {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kNothingFits = 3,
  kMissesLimits = 4,
  kBadInput = 5,
  kCheckFailed = 6,
  kInterrupted = 130,
};

}  // namespace gpuplan::cli
