// Completion for fish.
#include "base/text.h"
#include "cli/options/completion.h"

namespace gpuplan::cli {
namespace {

/// In single quotes, where fish knows \' and \\.
std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// What may stand there: " -x -a ..." for words, " -r -F" for files.
std::string candidates(const OptionSpec& option, bool word) {
  std::string only = word ? "" : " -x";
  if (!option.choices.empty()) {
    const std::string choices = join(option.choices, " ");
    if (!option.commas) return only + " -a " + fish_quoted(choices);
    return only + " -a " + fish_quoted("(__fish_append , " + choices + ")");
  }
  const auto names = [&](const char* kind) {
    return only + " -a " + fish_quoted("(__gpuplan_names " + std::string(kind) + ")");
  };
  switch (option.completes) {
    case Completes::kFiles:
      return word ? " -F" : " -r -F";
    case Completes::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Completes::kGpus:
      return names("gpus");
    case Completes::kModels:
      return names("models") + (word ? " -F" : "");
    case Completes::kCommands:
      return names("commands");
    case Completes::kNothing:
      break;
  }
  return only;
}

/// What stands after a command or an action; `after` tells fish that the cursor is there.
std::string after_fish(const CommandSpec& command, const std::string& after) {
  const std::string start = "complete -c gpuplan -n '" + after + "'";
  std::string text = start + " -s h -l help -d 'the help'\n";
  for (const OptionSpec& option : command.options) {
    text += start;
    for (const std::string& name : names_of(option))
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (takes_value(option)) text += candidates(option, false);
    text.append(" -d ").append(fish_quoted(option.help)).append("\n");
  }
  for (const OptionSpec& word : command.words)
    if (const std::string what = candidates(word, true); !what.empty()) text.append(start).append(what).append("\n");
  return text;
}

}  // namespace

std::string fish_completion(const std::vector<CommandSpec>& commands) {
  std::string text = R"(# Completion of gpuplan for fish; written by: gpuplan completion fish

# Names that the program knows: __gpuplan_names KIND
function __gpuplan_names
    set -l words (commandline -opc)
    eval $words[1] completion $argv[1] 2>/dev/null
end

complete -c gpuplan -f
complete -c gpuplan -n __fish_use_subcommand -s h -l help -d 'the help'
complete -c gpuplan -n __fish_use_subcommand -s V -l version -d 'print the version'
complete -c gpuplan -n __fish_use_subcommand -a help -d 'the help of gpuplan or of a command'
complete -c gpuplan -n '__fish_seen_subcommand_from help' -a '(__gpuplan_names commands)'
)";
  for (const CommandSpec& command : commands) {
    text += "\ncomplete -c gpuplan -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_quoted(command.summary) + "\n";
    if (command.actions.empty()) {
      text += after_fish(command, "__gpuplan_after " + command.name);
      continue;
    }
    for (const CommandSpec& one : command.actions)
      text += "complete -c gpuplan -n '__gpuplan_action_of " + command.name + "' -a " + one.name + " -d " +
              fish_quoted(one.summary) + "\n";
    for (const CommandSpec& one : command.actions)
      text += after_fish(one, "__gpuplan_after " + command.name + " " + one.name);
  }
  const std::string after = R"(# The command is the first word, whatever else is called like it.
function __gpuplan_after
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); and test "$words[2]" = $argv[1]
    and begin; test (count $argv) -eq 1; or test "$words[3]" = $argv[2]; end
end

# An action is to come.
function __gpuplan_action_of
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end

)";
  const std::size_t at = text.find("complete -c gpuplan -f");
  return text.insert(at, after);
}

}  // namespace gpuplan::cli
