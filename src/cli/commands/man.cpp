// gpuplan man [COMMAND]: manual pages.
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/options/manual.h"

namespace gpuplan::cli {
namespace {

struct ManArguments {
  std::string command;
};

int run_man(System& system, const ManArguments& options) {
  const std::vector<CommandSpec> commands = all_commands();
  if (options.command.empty()) return deliver(system, program_manual(commands), "", kDone, true);
  const auto command = std::ranges::find(commands, options.command, &CommandSpec::name);
  if (command != commands.end()) return deliver(system, command_manual(*command, commands), "", kDone, true);
  std::vector<std::string_view> names;
  for (const CommandSpec& one : commands) names.push_back(one.name);
  return complain(system, wrong_use("unknown command '" + printable(options.command) + "'" +
                                    did_you_mean(options.command, names) + " (see gpuplan --help)"));
}

}  // namespace

CommandSpec man_command() {
  auto options = std::make_shared<ManArguments>();
  CommandSpec command{.name = "man",
                      .group = Group::kTools,
                      .summary = "print manual pages",
                      .examples =
                          "  gpuplan man | man -l -\n"
                          "  gpuplan man plan | man -l -\n"
                          "  gpuplan man plan > ~/.local/share/man/man1/gpuplan-plan.1\n"};
  command.words = {{.names = "command",
                    .target = &options->command,
                    .help = "page of this command (default: of gpuplan)",
                    .value = "COMMAND",
                    .completes = Completes::kCommands}};
  set_run<run_man>(command, options);
  return command;
}

}  // namespace gpuplan::cli
