#include "cli/commands/commands.h"

namespace gpuplan::cli {

std::vector<CommandSpec> all_commands() {
  std::vector<CommandSpec> commands;
  commands.push_back(plan_command());
  commands.push_back(whatif_command());
  commands.push_back(simulate_command());
  commands.push_back(launch_command());
  commands.push_back(check_command());
  commands.push_back(fit_command());
  commands.push_back(profiles_command());
  commands.push_back(gpus_command());
  commands.push_back(offers_command());
  commands.push_back(model_command());
  commands.push_back(validate_command());
  commands.push_back(init_command());
  commands.push_back(config_command());
  commands.push_back(schema_command());
  commands.push_back(completion_command());
  commands.push_back(man_command());
  return commands;
}

}  // namespace gpuplan::cli
