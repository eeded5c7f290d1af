#include "cli/options/command_spec.h"

#include "base/text.h"

namespace gpuplan::cli {

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
