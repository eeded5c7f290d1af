#include "cli/commands.h"

namespace gpuplan::cli {

std::vector<CommandSpec> all_commands() {
  return {plan_command(),   fit_command(),   profiles_command(), gpus_command(),
          offers_command(), model_command(), schema_command()};
}

}  // namespace gpuplan::cli
