// gpuplan: the program. Words of the command line in, exit code out; everything else is below.
#include <cstring>
#include <exception>
#include <new>
#include <span>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/options.h"

namespace gpuplan::cli {
namespace {

bool asks_version(int argc, char** argv) {
  return argc >= 2 && (std::strcmp(argv[1], "--version") == 0 || std::strcmp(argv[1], "-V") == 0);
}

int answer(const Answer& answer) {
  if (answer.code == kDone) return deliver(answer.text, "", kDone, true);
  say(answer.text);
  return answer.code;
}

int program(int argc, char** argv) {
  if (asks_version(argc, argv)) return deliver("gpuplan " GPUPLAN_VERSION "\n", "", kDone);
  const std::vector<CommandSpec> commands = all_commands();
  const auto command =
      read_options(std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(1), commands);
  return command ? (*command)->run((*command)->filled.get()) : answer(command.error());
}

}  // namespace
}  // namespace gpuplan::cli

int main(int argc, char** argv) {
  // The one boundary for exceptions of libraries; gpuplan itself throws none.
  using namespace gpuplan;
  try {
    return cli::program(argc, argv);
  } catch (const std::bad_alloc&) {
    cli::say("gpuplan: out of memory");
  } catch (const std::exception& error) {
    cli::say("gpuplan: internal error: " + printable(error.what()) + " (please report it)");
  }
  return cli::kInternal;
}
