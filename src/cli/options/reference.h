// What holds for every command: exit codes, the environment, files. The help and the manual pages print it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

struct Meaning {
  std::string_view name, what;
};

std::span<const Meaning> exit_codes();
std::span<const Meaning> environment_variables();
std::span<const Meaning> files();

/// What gpuplan is for, in a few sentences.
std::string_view program_description();

/// First questions and the lines that answer them.
std::span<const Meaning> first_examples();

struct CommandGroup {
  std::string_view title;
  std::vector<const CommandSpec*> commands;
};
/// The commands by the question they are for, in the order of the help.
std::vector<CommandGroup> grouped(const std::vector<CommandSpec>& commands);

}  // namespace gpuplan::cli
