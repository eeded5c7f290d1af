// Manual pages in roff, made from what the commands declare.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

/// The page gpuplan(1).
std::string program_manual(const std::vector<CommandSpec>& commands);

/// The page gpuplan-NAME(1) of one command.
std::string command_manual(const CommandSpec& command, const std::vector<CommandSpec>& commands);

}  // namespace gpuplan::cli
