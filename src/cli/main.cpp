// gpuplan: the program. Words of the command line in, exit code out; everything else is below.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/files.h"
#include "cli/options/options.h"

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
  const std::vector<CommandSpec> commands = commands_for(argc >= 2 ? argv[1] : "");
  const auto command =
      read_options(std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(1), commands);
  if (!command) return answer(command.error());
  if (const auto known = known_ending(**command); !known) return complain(known.error());
  return (*command)->run((*command)->filled.get());
}

/// A thread that can not start (its stack is memory too) and a text too long for any memory come from the same want.
bool no_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system != nullptr && (system->code() == std::errc::not_enough_memory ||
                               system->code() == std::errc::resource_unavailable_try_again);
}

/// Without memory of its own.
int out_of_memory() {
  constexpr std::string_view kLine =
      "gpuplan: out of memory; allow it more (ulimit -v, the job's or container's limit) or ask for less\n";
  [[maybe_unused]] const std::error_code untold = write_all(STDERR_FILENO, kLine);
  return kInternal;
}

/// An exception that leaves a function which promised none (a move that had to allocate) ends the program: with the
/// same line.
[[noreturn]] void give_up() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      if (no_memory(error)) ::_exit(out_of_memory());
    } catch (...) {
      std::abort();
    }
  }
  std::abort();
}

}  // namespace
}  // namespace gpuplan::cli

int main(int argc, char** argv) {
  // The one boundary for exceptions of libraries; gpuplan itself throws none.
  using namespace gpuplan;
  try {
    std::set_terminate(cli::give_up);
    cli::prepare_descriptors();
    return cli::program(argc, argv);
  } catch (const std::exception& error) {
    if (cli::no_memory(error)) return cli::out_of_memory();
    cli::say("gpuplan: internal error: " + printable(error.what()) + " (please report it)");
  }
  return cli::kInternal;
}
