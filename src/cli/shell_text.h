// Text as words of a shell.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan::cli {

/// In single quotes, for bash and zsh.
std::string quoted(std::string_view text);

/// A word to be typed again: in quotes unless every character stands for itself in every shell. Control characters
/// become '?'.
std::string shell_word(std::string_view text);

}  // namespace gpuplan::cli
