// What is said when the command line can not be understood, or asks for help.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
class ParseError;
}  // namespace CLI

namespace gpuplan::cli {

/// CLI11's exception as one line that says what to do, or the help that was asked for. `chosen` is the command whose
/// words were being read, the program itself before any.
Answer answer_to(const CLI::ParseError& error, const CLI::App& program, const CLI::App& chosen);

/// The line for a first word that is none of the commands.
std::string unknown_command(const std::string& word, const std::vector<std::string>& commands);

}  // namespace gpuplan::cli
