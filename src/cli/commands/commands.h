// The commands. Each knows what it takes, prints results to stdout and messages to stderr, and returns the exit code.
#pragma once

#include <string_view>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

/// In the order of the help text.
std::vector<CommandSpec> all_commands();
/// The command of this name alone; all where none has it.
std::vector<CommandSpec> commands_for(std::string_view word);

CommandSpec plan_command();
CommandSpec whatif_command();
CommandSpec simulate_command();
CommandSpec check_command();
CommandSpec calibrate_command();
CommandSpec audit_command();
CommandSpec launch_command();
CommandSpec report_command();
CommandSpec fit_command();
CommandSpec profiles_command();
CommandSpec gpus_command();
CommandSpec offers_command();
CommandSpec prices_command();
CommandSpec model_command();
CommandSpec validate_command();
CommandSpec schema_command();
CommandSpec init_command();
CommandSpec config_command();
CommandSpec completion_command();
CommandSpec man_command();

}  // namespace gpuplan::cli
