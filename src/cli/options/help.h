// How --help looks: what the command does, examples first, then its options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

std::string program_help(const std::vector<CommandSpec>& commands);
std::string command_help(const CommandSpec& command);

/// How a part of a line looks.
using Face = std::string (*)(std::string_view);

/// " [JOB] [OPTIONS]": what follows the command.
std::string usage_words(const CommandSpec& command, Face value);
/// "-o, --output FILE"
std::string option_words(const OptionSpec& option, Face name, Face value);

}  // namespace gpuplan::cli
