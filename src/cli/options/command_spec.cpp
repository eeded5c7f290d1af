#include "cli/options/command_spec.h"

#include <utility>

#include "base/text.h"

namespace gpuplan::cli {

std::string full_name(const CommandSpec& command) {
  return command.of.empty() ? command.name : command.of + ' ' + command.name;
}

std::vector<const CommandSpec*> doers(const CommandSpec& command) {
  if (command.actions.empty()) return {&command};
  std::vector<const CommandSpec*> all;
  for (const CommandSpec& action : command.actions) all.push_back(&action);
  return all;
}

std::vector<std::string> action_names(const CommandSpec& command) {
  std::vector<std::string> names;
  for (const CommandSpec& action : command.actions) names.push_back(action.name);
  return names;
}

void add_action(CommandSpec& command, CommandSpec action) {
  action.of = command.name;
  command.actions.push_back(std::move(action));
}

std::vector<std::string> names_of(const OptionSpec& option) {
  std::vector<std::string> names;
  for (const std::string_view name : split(option.names, ',')) names.emplace_back(name);
  return names;
}

bool takes_value(const OptionSpec& option) { return !std::holds_alternative<bool*>(option.target); }

std::vector<std::string> flags_of(const CommandSpec& command) {
  std::vector<std::string> flags{"--help"};
  for (const OptionSpec& option : command.options)
    for (std::string& name : names_of(option))
      if (name.starts_with("--")) flags.push_back(std::move(name));
  return flags;
}

}  // namespace gpuplan::cli
