// Another program, started and waited for.
#pragma once

#include <expected>
#include <string>
#include <system_error>
#include <vector>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// What System::run_program is on a machine: a program of PATH with these arguments, its output and messages together.
/// What does not answer within 30 s is ended, with code 1.
std::expected<EndedProgram, std::error_code> start_and_wait(const std::vector<std::string>& words);

}  // namespace gpuplan::cli
