#include "cli/commands/commands.h"

#include <algorithm>

namespace gpuplan::cli {
namespace {

/// A command by its name: a run asks one, and what the others take need not be laid out.
struct KnownCommand {
  std::string_view name;
  CommandSpec (*command)();
};

constexpr KnownCommand kCommands[] = {
    {"plan", plan_command},
    {"whatif", whatif_command},
    {"simulate", simulate_command},
    {"launch", launch_command},
    {"report", report_command},
    {"check", check_command},
    {"calibrate", calibrate_command},
    {"audit", audit_command},
    {"fit", fit_command},
    {"profiles", profiles_command},
    {"gpus", gpus_command},
    {"offers", offers_command},
    {"prices", prices_command},
    {"model", model_command},
    {"validate", validate_command},
    {"init", init_command},
    {"config", config_command},
    {"schema", schema_command},
    {"completion", completion_command},
    {"man", man_command},
};

}  // namespace

std::vector<CommandSpec> all_commands() {
  std::vector<CommandSpec> commands;
  for (const KnownCommand& one : kCommands) commands.push_back(one.command());
  return commands;
}

std::vector<CommandSpec> commands_for(std::string_view word) {
  const auto* const known = std::ranges::find(kCommands, word, &KnownCommand::name);
  return known == std::end(kCommands) ? all_commands() : std::vector{known->command()};
}

}  // namespace gpuplan::cli
