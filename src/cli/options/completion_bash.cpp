// Completion for bash 4.4 and later.
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "cli/options/completion.h"

namespace gpuplan::cli {
namespace {

constexpr std::string_view kBashStart = R"(# Completion of gpuplan for bash; written by: gpuplan completion bash

# What the cursor stands on, without the quote or the backslashes that it is typed with.
_gpuplan_typed() {
  typed=$cur
  case $typed in
    [\"\']*) typed=${typed:1} ;;
    *) typed=${typed//\\/} ;;
  esac
}

# Names that the program knows: _gpuplan_names KIND. Readline quotes them as it quotes file names.
_gpuplan_names() {
  local name typed
  _gpuplan_typed
  while IFS= read -r name; do
    [[ ${name,,} == "${typed,,}"* ]] && COMPREPLY+=("$name")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion "$1" 2>/dev/null)
  compopt -o filenames 2>/dev/null
}

_gpuplan_files() {
  local name typed
  _gpuplan_typed
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen "$1" -- "$typed")
  compopt -o filenames 2>/dev/null
}

# One of these words, or with commas several: _gpuplan_list WORDS.
_gpuplan_list() {
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}

_gpuplan_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_gpuplan() {
  local cur=$2 prev=$3
  COMPREPLY=()
  # --flag=value is three words here.
  cur=${COMP_WORDS[COMP_CWORD]}
  prev=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $cur == "=" ]]; then
    cur=
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
)";

std::string completer(const OptionSpec& option) {
  if (!option.choices.empty())
    return (option.commas ? "_gpuplan_list " : "_gpuplan_words ") + shell_quoted(join(option.choices, " "));
  switch (option.completes) {
    case Completes::kFiles:
      return "_gpuplan_files -f";
    case Completes::kFolders:
      return "_gpuplan_files -d";
    case Completes::kGpus:
      return "_gpuplan_names gpus";
    case Completes::kModels:
      return "_gpuplan_names models";
    case Completes::kCommands:
      return "_gpuplan_names commands";
    case Completes::kNothing:
      break;
  }
  return ":";
}

/// What stands after a command or an action.
std::string after_bash(const CommandSpec& command, const std::string& indent) {
  const std::string flags = shell_quoted(join(flags_of(command), " "));
  std::string text = indent + "case $prev in\n";
  for (const OptionSpec& option : command.options) {
    if (!takes_value(option)) continue;
    text.append(indent).append("  ").append(join(names_of(option), " | ")).append(")\n");
    text.append(indent).append("    ").append(completer(option)).append("\n");
    text.append(indent).append("    return\n").append(indent).append("    ;;\n");
  }
  text += indent + "esac\n" + indent + "if [[ $cur == -* ]]; then\n" + indent + "  _gpuplan_words " + flags + "\n" +
          indent + "else\n";
  if (command.words.empty()) text += indent + "  _gpuplan_words " + flags + "\n";
  for (const OptionSpec& word : command.words) {
    text.append(indent).append("  ").append(completer(word)).append("\n");
    // A model, or the path of one; a job in place of it.
    if (word.completes == Completes::kModels) text.append(indent).append("  _gpuplan_files -f\n");
  }
  return text + indent + "fi\n";
}

/// The actions of a command, and what stands after each.
std::string actions_bash(const CommandSpec& command) {
  std::string text = "      if ((COMP_CWORD == 2)); then\n        _gpuplan_words " +
                     shell_quoted(join(action_names(command), " ") + " --help") +
                     "\n        return\n      fi\n      case ${COMP_WORDS[2]} in\n";
  for (const CommandSpec& action : command.actions)
    text.append("        ")
        .append(action.name)
        .append(")\n")
        .append(after_bash(action, "          "))
        .append("          ;;\n");
  return text + "      esac\n";
}

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  std::string text(kBashStart), names;
  for (const CommandSpec& command : commands) names += command.name + " ";
  text += "    _gpuplan_words " + shell_quoted(names + "help --help --version") + "\n    return\n  fi\n";
  text += "  case ${COMP_WORDS[1]} in\n    help)\n      _gpuplan_words " + shell_quoted(trim(names)) + "\n      ;;\n";
  for (const CommandSpec& command : commands) {
    text.append("    ").append(command.name).append(")\n");
    text += command.actions.empty() ? after_bash(command, "      ") : actions_bash(command);
    text += "      ;;\n";
  }
  return text + "  esac\n}\n\ncomplete -F _gpuplan gpuplan\n";
}

}  // namespace gpuplan::cli
