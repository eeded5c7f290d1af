// The commands. Each knows what it takes, prints results to stdout and messages to stderr, and returns the exit code.
#pragma once

#include <vector>

#include "cli/command_spec.h"

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

/// In the order of the help text.
std::vector<CommandSpec> all_commands();

CommandSpec plan_command();
CommandSpec whatif_command();
CommandSpec simulate_command();
CommandSpec check_command();
CommandSpec launch_command();
CommandSpec fit_command();
CommandSpec profiles_command();
CommandSpec gpus_command();
CommandSpec offers_command();
CommandSpec model_command();
CommandSpec validate_command();
CommandSpec schema_command();
CommandSpec init_command();
CommandSpec config_command();
CommandSpec completion_command();
CommandSpec man_command();

}  // namespace gpuplan::cli
