#include "launch/command/words.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/shell/shell_words.h"
#include "base/text.h"

namespace gpuplan {
namespace {

bool assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

/// A program that starts another one: `options` are those with a value in a word of its own, and so many words stand
/// between them and the other program.
struct Prefix {
  std::string_view name, options;
  int words = 0;
};
constexpr std::array<Prefix, 15> kPrefixes = {{
    {"env", " -u --unset -C --chdir "},
    {"exec", " -a "},
    {"time", " "},
    {"nohup", " "},
    {"command", " "},
    {"then", " "},
    {"do", " "},
    {"else", " "},
    {"if", " "},
    {"{", " "},
    {"!", " "},
    {"timeout", " -k -s --kill-after --signal ", 1},
    {"nice", " -n --adjustment "},
    {"stdbuf", " -i -o -e "},
    {"numactl", " -N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred "},
}};

/// Options of `uv run` with a value in a word of its own.
constexpr std::string_view kRunOptions =
    " --extra --with --with-editable --with-requirements --group --only-group --python -p --env-file --directory "
    "--project --package -w ";

/// Behind the options that stand here; `with_value` are those whose value is a word of its own. `-m` names a program.
std::size_t after_options(const std::vector<CommandWord>& words, std::size_t at, std::string_view with_value) {
  for (; at < words.size() && words[at].text.starts_with('-'); ++at) {
    std::string option = " ";
    option += words[at].text;
    option += ' ';
    if (with_value.contains(option)) ++at;
    else if (words[at].text == "-m") break;
  }
  return at;
}

}  // namespace

std::vector<CommandWord> words_of(std::string_view text, ShellSpan command) {
  std::vector<CommandWord> words;
  for (const ShellSpan& word : shell_words(text, command)) words.push_back({word.begin, word.end, word.of(text)});
  return words;
}

std::string_view program_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

bool is_python(std::string_view word) {
  std::string_view name = program_name(word);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(6);
  return std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
}

std::size_t program_word(const std::vector<CommandWord>& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string_view text = words[at].text;
    const auto prefix = std::ranges::find(kPrefixes, program_name(text), &Prefix::name);
    if (assignment(text)) {
      ++at;
    } else if (prefix != kPrefixes.end()) {
      at = after_options(words, at + 1, prefix->options) + static_cast<std::size_t>(prefix->words);
    } else if ((text == "uv" || text == "poetry" || text == "pixi") && at + 1 < words.size() &&
               words[at + 1].text == "run") {
      at = after_options(words, at + 2, kRunOptions);
    } else {
      break;
    }
  }
  return at;
}

std::optional<std::string_view> option(const std::vector<CommandWord>& words, std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i].text;
    if (!word.starts_with("-")) continue;
    while (word.starts_with("-")) word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    std::string given(word.substr(0, equals));
    std::ranges::replace(given, '_', '-');
    if (given != name) continue;
    if (equals != std::string_view::npos) return word.substr(equals + 1);
    return i + 1 < words.size() ? words[i + 1].text : std::string_view();
  }
  return std::nullopt;
}

}  // namespace gpuplan
