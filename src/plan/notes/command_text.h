// A job's `command`: the variables that it may hold, and the command with the plan's numbers in their places.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/work/phase.h"
#include "plan/answer/plan.h"

namespace gpuplan {

struct CommandVariable {
  std::string_view name, help;
};
/// All of them: `{NAME}` in a command stands for the value. For help and messages.
std::span<const CommandVariable> command_variables();

/// Optimizer steps from one checkpoint to the next: as the job says, else by the number of checkpoints that the
/// estimate counts. At least 1; 0 when the phase has no steps.
int steps_between_checkpoints(const Phase& phase, const PhaseEstimate& estimate);

/// False for training by a command of the job that names neither {checkpoints} nor resuming: stopped and started again
/// it begins anew, unless the program finds checkpoints of its own. The plan counts on that it goes on.
bool command_resumes(const Phase& phase);

struct FilledCommand {
  std::string text;
  std::vector<std::string> unknown;   ///< variables that do not exist, once each; they stand as they were
  std::vector<std::string> appended;  ///< `args` that the command does not name: "--name=value" each, for its end
};

/// The command with every `{variable}` filled in as the estimate runs it on the machine of that profile. `${NAME}` and
/// other braces stay as they are; `{{name}}`, and any text in a pair of double braces, loses one pair. Values are words
/// that no shell reads anything into; {args} quotes its own. Texts are empty when the phase has no command.
FilledCommand fill_command(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile);

}  // namespace gpuplan
