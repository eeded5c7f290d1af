// From the words of the command line to the targets of one command. Nothing below this sees a flag as text.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "cli/io/exit_code.h"
#include "cli/options/command_spec.h"

namespace gpuplan::cli {

/// What to print in place of running a command: help (kDone, for stdout) or what is wrong (kUsage, for stderr).
struct Answer {
  int code = kDone;
  std::string text;
};

/// The command that the words (without the program's name) ask for, its targets filled. Points into `commands`.
std::expected<const CommandSpec*, Answer> read_options(std::span<const char* const> words,
                                                       const std::vector<CommandSpec>& commands);

}  // namespace gpuplan::cli
