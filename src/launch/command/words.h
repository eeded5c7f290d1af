// The words of a job's command: which of them name the program that it starts, and what they ask of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/shell/shell_words.h"

namespace gpuplan {

struct CommandWord {
  std::size_t begin = 0, end = 0;  ///< in the text
  std::string_view text;
};

std::vector<CommandWord> words_of(std::string_view text, ShellSpan command);
/// "torchrun" of "/usr/bin/torchrun".
std::string_view program_name(std::string_view word);
/// "python", "python3.11" and the like, wherever they lie.
bool is_python(std::string_view word);
/// The word that names the program: after assignments, `env`, `exec`, `timeout 5h`, and `uv run` and its like.
std::size_t program_word(const std::vector<CommandWord>& words);
/// The value of "--name=value" or "--name value" in any spelling of the dashes inside; nullopt: not there.
std::optional<std::string_view> option(const std::vector<CommandWord>& words, std::string_view name);

}  // namespace gpuplan
