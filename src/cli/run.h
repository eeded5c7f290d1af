// The program without its machine: words of the command line in, exit code out.
#pragma once

#include <span>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// Does what the words say, those behind the program's name, and returns the exit code (cli/io/exit_code.h).
int run(std::span<const char* const> words, System& system);

}  // namespace gpuplan::cli
