// How --help looks: what the command does, examples first, then its options.
#pragma once

#include <string>
#include <vector>

#include "cli/command_spec.h"

namespace gpuplan::cli {

std::string program_help(const std::vector<CommandSpec>& commands);
std::string command_help(const CommandSpec& command);

/// "plan JOB [OPTIONS]"
std::string usage_line(const CommandSpec& command);

}  // namespace gpuplan::cli
