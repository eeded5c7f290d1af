// gpuplan completion SHELL: completion scripts, and the names that they ask for.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/completion.h"

namespace gpuplan::cli {
namespace {

struct CompletionArguments {
  std::string what;
};

/// One line for each name of the built-in data.
std::string names(const std::string& kind, const Catalogue& catalogue) {
  std::string text;
  if (kind == "gpus")
    for (const Gpu& gpu : catalogue.gpus) text += gpu.name + '\n';
  else
    for (const ModelShape& model : catalogue.models) text += model.name + '\n';
  return text;
}

int run_completion(System& system, const CompletionArguments& options) {
  const std::vector<CommandSpec> commands = all_commands();
  std::string text;
  if (options.what == "bash") text = bash_completion(commands);
  if (options.what == "zsh") text = zsh_completion(commands);
  if (options.what == "fish") text = fish_completion(commands);
  if (options.what == "commands")
    for (const CommandSpec& command : commands) text += command.name + '\n';
  if (text.empty()) {
    const auto catalogue = load_catalogue(system, "");
    if (!catalogue) return complain(system, catalogue.error());
    text = names(options.what, *catalogue);
  }
  return deliver(system, text, "", kDone);
}

constexpr const char* kInstall =
    "To enable it in every new shell:\n"
    "  bash   gpuplan completion bash > ~/.local/share/bash-completion/completions/gpuplan\n"
    "         (with the package bash-completion; without it, a file that ~/.bashrc sources)\n"
    "  zsh    gpuplan completion zsh > ~/.zfunc/_gpuplan\n"
    "         (in ~/.zshrc: fpath+=~/.zfunc before compinit)\n"
    "  fish   gpuplan completion fish > ~/.config/fish/completions/gpuplan.fish\n"
    "\n"
    "gpus, models and commands print one name per line. The scripts call gpuplan for them, so that they\nstay valid "
    "after an update.\n";

}  // namespace

CommandSpec completion_command() {
  auto options = std::make_shared<CompletionArguments>();
  CommandSpec command{.name = "completion",
                      .group = Group::kTools,
                      .summary = "print shell completions for bash, zsh or fish",
                      .examples =
                          "  source <(gpuplan completion bash)\n"
                          "  gpuplan completion bash > ~/.local/share/bash-completion/completions/gpuplan\n"
                          "  gpuplan completion fish > ~/.config/fish/completions/gpuplan.fish\n",
                      .notes = kInstall};
  command.words = {{.names = "shell",
                    .target = &options->what,
                    .help = "bash, zsh or fish; gpus, models or commands for a list of names",
                    .value = "SHELL",
                    .choices = {"bash", "zsh", "fish", "gpus", "models", "commands"},
                    .required = true}};
  set_run<run_completion>(command, options);
  return command;
}

}  // namespace gpuplan::cli
