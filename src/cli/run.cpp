#include "cli/run.h"

#include <string_view>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/options/options.h"

namespace gpuplan::cli {
namespace {

bool asks_version(std::span<const char* const> words) {
  if (words.empty()) return false;
  const std::string_view first = words.front();
  return first == "--version" || first == "-V";
}

int tell_answer(System& system, const Answer& answer) {
  if (answer.code == kDone) return deliver(system, answer.text, "", kDone, true);
  say(system, answer.text);
  return answer.code;
}

}  // namespace

int run(std::span<const char* const> words, System& system) {
  if (asks_version(words)) return deliver(system, "gpuplan " GPUPLAN_VERSION "\n", "", kDone);
  const std::vector<CommandSpec> commands = commands_for(words.empty() ? "" : words.front());
  const auto command = read_options(words, commands);
  if (!command) return tell_answer(system, command.error());
  if (const auto known = known_ending(**command); !known) return complain(system, known.error());
  return (*command)->run(system, (*command)->filled.get());
}

}  // namespace gpuplan::cli
