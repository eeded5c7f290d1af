// Completion for shells, made from what the commands declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

// Names of GPUs and models are asked of the program when they are needed (gpuplan completion gpus), so that a script
// written once knows what a newer program knows. It takes a few milliseconds.
std::string bash_completion(const std::vector<CommandSpec>& commands);
std::string zsh_completion(const std::vector<CommandSpec>& commands);
std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace gpuplan::cli
