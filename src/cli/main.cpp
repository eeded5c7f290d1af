// gpuplan: the program on a real machine, and the one boundary for exceptions.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/io/files.h"
#include "cli/io/real_system.h"
#include "cli/run.h"

namespace gpuplan::cli {
namespace {

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
      "gpuplan: out of memory; raise the limit (ulimit -v, the job's or container's limit) or search less\n";
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
  cli::RealSystem system;
  try {
    std::set_terminate(cli::give_up);
    cli::prepare_descriptors();
    return cli::run(std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0),
                    system);
  } catch (const std::exception& error) {
    if (cli::no_memory(error)) return cli::out_of_memory();
    cli::say(system, "gpuplan: internal error: " + printable(error.what()) + " (please report it)");
  }
  return cli::kInternal;
}
