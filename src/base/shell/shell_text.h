// Text of users as part of other languages: words of a shell, YAML, Python, comments. No text can end the place it
// stands in: whatever it holds, it stays one word, one value, one line.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// In single quotes, for POSIX shells, bash and zsh. Control characters stay what they are inside of quotes, but NUL,
/// which no word can hold, becomes '?'.
std::string shell_quoted(std::string_view text);

/// A word to be typed again: in quotes unless every character stands for itself in every shell. Control characters
/// become '?'.
std::string shell_word(std::string_view text);

/// A word for bash that holds every byte of the text but NUL: in quotes where it has to be, and with escapes ($'\x1b')
/// in place of what could move the cursor or hide what stands beside it.
std::string bash_word(std::string_view text);

/// The same in quotes even where it needs none: what a variable is set to, since a bare word there may be the name of a
/// command.
std::string bash_value(std::string_view text);

/// In double quotes: a string in YAML, TOML and Python. Control characters and those that move or hide what stands
/// beside them are escaped; bytes that are not UTF-8 become U+FFFD. Nothing is lost.
std::string string_literal(std::string_view text);

/// The same for JSON, which knows no \U: characters beyond U+FFFF that need an escape become two surrogates.
std::string json_literal(std::string_view text);

/// Letters (ASCII, lower case), digits and single '-' only, at most `limit`, neither empty nor with '-' at an end: a
/// name for files, jobs and Kubernetes objects. What is left of nothing is `otherwise`.
std::string slug_of(std::string_view text, std::size_t limit, std::string_view otherwise);

}  // namespace gpuplan
