// How --help looks: what the command does, examples first, then its options.
#pragma once

#include <memory>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class FormatterBase;
}

namespace gpuplan::cli {

std::shared_ptr<CLI::FormatterBase> help_formatter();

/// A command's examples stand first and are its CLI11 footer; these notes, added to it, go to the end of the help.
std::string with_notes(const std::string& notes);

}  // namespace gpuplan::cli
