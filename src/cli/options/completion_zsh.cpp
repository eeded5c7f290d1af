// Completion for zsh.
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "cli/options/completion.h"

namespace gpuplan::cli {
namespace {

constexpr std::string_view kZshStart = R"(#compdef gpuplan
# Completion of gpuplan for zsh; written by: gpuplan completion zsh

# Names that the program knows: _gpuplan_names KIND COMPADD-OPTIONS. Small letters find large ones, too.
_gpuplan_names() {
  local -a names
  names=("${(@f)$(${_gpuplan_program/#\~/$HOME} completion $1 2>/dev/null)}")
  shift
  compadd "$@" -M 'm:{[:lower:]}={[:upper:]}' -a names
}
_gpuplan_gpus() { _gpuplan_names gpus "$@" }
_gpuplan_models() { _gpuplan_names models "$@" }
_gpuplan_models_and_files() {
  _gpuplan_names models "$@"
  _files
}

_gpuplan_commands() {
  local -a commands
  commands=(
)";

/// Texts inside [...] of _arguments.
std::string described(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// Texts between the colons of _arguments and _describe.
std::string between_colons(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string action(const OptionSpec& option, bool word) {
  if (!option.choices.empty()) {
    const std::string choices = join(option.choices, " ");
    return option.commas ? "_values -s , " + shell_quoted(option.value) + " " + choices : "(" + choices + ")";
  }
  switch (option.completes) {
    case Completes::kFiles:
      return "_files";
    case Completes::kFolders:
      return "_files -/";
    case Completes::kGpus:
      return "_gpuplan_gpus";
    case Completes::kModels:
      return word ? "_gpuplan_models_and_files" : "_gpuplan_models";
    case Completes::kCommands:
      return "_gpuplan_commands";
    case Completes::kNothing:
      break;
  }
  return " ";
}

/// One line of _arguments for each name of an option.
std::string argument_lines(const CommandSpec& command, const OptionSpec& option) {
  const bool again = std::holds_alternative<std::vector<std::string>*>(option.target) ||
                     std::holds_alternative<std::vector<int>*>(option.target);
  std::string excluded;
  for (const OptionSpec& other : command.options) {
    const bool excludes = &other == &option ? !again : !option.one_of.empty() && other.one_of == option.one_of;
    if (!excludes) continue;
    for (const std::string& name : names_of(other)) excluded += (excluded.empty() ? "" : " ") + name;
  }
  std::string text;
  for (const std::string& name : names_of(option)) {
    std::string line = again ? "*" : "(" + excluded + ")";
    line += name + "[" + described(option.help) + "]";
    if (takes_value(option)) line += ":" + between_colons(option.value) + ":" + action(option, false);
    text += " \\\n        " + shell_quoted(line);
  }
  return text;
}

/// What stands after a command or an action.
std::string arguments_zsh(const CommandSpec& command, const std::string& indent) {
  std::string text = indent + "_arguments '(- *)'{-h,--help}'[the help]'";
  for (const OptionSpec& option : command.options) text += argument_lines(command, option);
  for (const OptionSpec& word : command.words) {
    const bool several = std::holds_alternative<std::vector<std::string>*>(word.target);
    const std::string place = several ? "*" : word.required ? "1" : "1:";
    text += " \\\n        " + shell_quoted(place + ":" + between_colons(word.value) + ":" + action(word, true));
  }
  return text + "\n";
}

/// The actions of a command, and what stands after each: the words begin with the command here, then with the action.
std::string actions_zsh(const CommandSpec& command) {
  std::string text = "      local -a _gpuplan_actions\n      _gpuplan_actions=(\n";
  for (const CommandSpec& one : command.actions)
    text.append("        ").append(shell_quoted(one.name + ":" + between_colons(one.summary))).append("\n");
  text +=
      "      )\n      _arguments -C '(- *)'{-h,--help}'[the help]' '1: :{_describe -t actions action "
      "_gpuplan_actions}' \\\n"
      "        '*:: :->action' && return\n      [[ $state == action ]] || return\n      case $line[1] in\n";
  for (const CommandSpec& one : command.actions)
    text.append("        ")
        .append(one.name)
        .append(")\n")
        .append(arguments_zsh(one, "          "))
        .append("          ;;\n");
  return text + "      esac\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CommandSpec>& commands) {
  std::string text(kZshStart);
  for (const CommandSpec& command : commands)
    text += "    " + shell_quoted(command.name + ":" + between_colons(command.summary)) + "\n";
  text += "    'help:the help of gpuplan or of a command'\n";
  text += R"(  )
  _describe -t commands command commands
}

_gpuplan() {
  local _gpuplan_program=$words[1] curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[the help]' '(- *)'{-V,--version}'[print the version]' \
    '1: :_gpuplan_commands' '*:: :->arguments' && return
  [[ $state == arguments ]] || return
  case $line[1] in
    help)
      _arguments '1: :_gpuplan_commands'
      ;;
)";
  for (const CommandSpec& command : commands) {
    text.append("    ").append(command.name).append(")\n");
    text += command.actions.empty() ? arguments_zsh(command, "      ") : actions_zsh(command);
    text += "      ;;\n";
  }
  // As a file of $fpath it is the function itself; sourced, it only tells zsh of it.
  return text + R"(  esac
}

if [[ $funcstack[1] == _gpuplan ]]; then
  _gpuplan "$@"
else
  compdef _gpuplan gpuplan
fi
)";
}

}  // namespace gpuplan::cli
